import { exitCodes } from "../errors/exit-codes.ts";
import type { CliIo, StopSignal } from "./io.ts";
import { guardRun, leftText, type RunPlace } from "./run-guard.ts";

const { interrupted, terminated } = exitCodes;
const exitCodeOf: Record<StopSignal, number> = {
  SIGINT: interrupted,
  SIGTERM: terminated,
  SIGHUP: terminated,
  SIGQUIT: terminated,
};

/** Turns signals of the system into the run's own signal. */
export interface StopControl {
  /** Aborted with the name of the signal, or with why nothing can come any more. */
  readonly signal: AbortSignal;
  /** From now on the first signal ends the run in order; before, and the second time, it ends the process at once. */
  runStarts(place: RunPlace): void;
  /** The exit code of the signal that ended the run; null when none did. */
  readonly exitCode: number | null;
  /** The run was ended because nothing was left to wait for. */
  readonly hasStalled: boolean;
  release(): void;
}

const stalled =
  "nothing is left to wait for: the suite or the agent awaits a promise that never settles";

export function stopControl(io: CliIo): StopControl {
  const controller = new AbortController();
  let running: RunPlace | null = null;
  let hasStalled = false;
  let exitCode: number | null = null;
  const guard = guardRun(io);
  const releaseSignals = io.onSignal((name) => {
    if (running === null) return io.exit(exitCodeOf[name]);
    if (controller.signal.aborted) {
      io.stderr.write(
        `\n${name}: ended at once; what was finished is in ${running.workDir}${leftText(running)}\n`,
      );
      return io.exit(exitCodeOf[name]);
    }
    io.stderr.write(
      `\n${name}: ending the run; what is finished is kept. Once more ends it at once.\n`,
    );
    exitCode = exitCodeOf[name];
    controller.abort(name);
  });
  const releaseIdle = io.onIdle(() => {
    if (controller.signal.aborted) return;
    hasStalled = true;
    controller.abort(stalled);
  });
  return {
    signal: controller.signal,
    runStarts: (place) => {
      running = place;
      guard.runStarts(place);
    },
    get exitCode() {
      return exitCode;
    },
    get hasStalled() {
      return hasStalled;
    },
    release: () => {
      releaseSignals();
      releaseIdle();
      guard.release();
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
