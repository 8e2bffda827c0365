import type { CliIo, StopSignal, TextOutput } from "../../packages/assay/src/cli/io.ts";

class ExitError extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`exit ${code}`);
    this.code = code;
  }
}

/** A process that is not one: what is written is kept, signals and time are given by the test. */
export class FakeIo implements CliIo {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd = process.cwd();
  out = "";
  err = "";
  isStdoutClaimed = false;
  nowMs = 0;
  exits: number[] = [];
  readonly #signals = new Set<(signal: StopSignal) => void>();
  readonly #idle = new Set<() => void>();
  readonly #foreignExit = new Set<() => number>();
  readonly #strays = new Set<(thrown: unknown) => void>();

  constructor(env: Readonly<Record<string, string | undefined>> = {}) {
    this.env = env;
    this.stdout = this.#output((text) => {
      this.out += text;
    });
    this.stderr = this.#output((text) => {
      this.err += text;
    });
  }

  #output(write: (text: string) => void): TextOutput {
    return { isTTY: false, columns: 80, write };
  }

  monotonicMs(): number {
    return this.nowMs;
  }

  claimStdout(): void {
    this.isStdoutClaimed = true;
  }

  keepHeapSmall(): void {}

  onSignal(listener: (signal: StopSignal) => void): () => void {
    this.#signals.add(listener);
    return () => this.#signals.delete(listener);
  }

  onIdle(listener: () => void): () => void {
    this.#idle.add(listener);
    return () => this.#idle.delete(listener);
  }

  onForeignExit(listener: () => number): () => void {
    this.#foreignExit.add(listener);
    return () => this.#foreignExit.delete(listener);
  }

  onStrayError(listener: (thrown: unknown) => void): () => void {
    this.#strays.add(listener);
    return () => this.#strays.delete(listener);
  }

  exit(code: number): never {
    this.exits.push(code);
    throw new ExitError(code);
  }

  /** Sends a signal the way the system would. */
  send(signal: StopSignal): void {
    for (const listener of this.#signals) {
      try {
        listener(signal);
      } catch (error) {
        if (!(error instanceof ExitError)) throw error;
      }
    }
  }

  runDry(): void {
    for (const listener of this.#idle) listener();
  }

  get listenerCount(): number {
    return this.#signals.size + this.#idle.size + this.#foreignExit.size + this.#strays.size;
  }
}
