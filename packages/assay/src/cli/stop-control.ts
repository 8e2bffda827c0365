import type { CliIo, StopSignal } from "./io.ts";

const exitCodeOf: Record<StopSignal, number> = { SIGINT: 130, SIGTERM: 143 };

/** Turns signals of the system into the run's own signal. */
export interface StopControl {
  /** Aborted with the name of the signal, or with why nothing can come any more. */
  readonly signal: AbortSignal;
  /** From now on the first signal ends the run in order; before, and the second time, it ends the process at once. */
  runStarts(): void;
  /** The run was ended because nothing was left to wait for. */
  readonly hasStalled: boolean;
  release(): void;
}

const stalled =
  "nothing is left to wait for: the suite or the agent awaits a promise that never settles";

export function stopControl(io: CliIo): StopControl {
  const controller = new AbortController();
  let isRunning = false;
  let hasStalled = false;
  const releaseSignals = io.onSignal((name) => {
    if (!isRunning || controller.signal.aborted) io.exit(exitCodeOf[name]);
    io.stderr.write(
      `\n${name}: ending the run; what is finished is kept. Once more ends it at once.\n`,
    );
    controller.abort(name);
  });
  const releaseIdle = io.onIdle(() => {
    if (controller.signal.aborted) return;
    hasStalled = true;
    controller.abort(stalled);
  });
  return {
    signal: controller.signal,
    runStarts: () => {
      isRunning = true;
    },
    get hasStalled() {
      return hasStalled;
    },
    release: () => {
      releaseSignals();
      releaseIdle();
    },
  };
}

/** Resolves with the work, or rejects when the process has nothing left to wait for. */
export async function orStalled<T>(
  work: Promise<T>,
  signal: AbortSignal,
  toError: (reason: string) => Error,
): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(toError(String(signal.reason)));
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
