import type { Clock } from "../../contracts/clock.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import type { Attempt } from "../../schema/attempt.ts";
import type { RunEvent } from "../api.ts";
import { limitReached, type SpendingLimits, unmeasuredLimits } from "./spending.ts";
import { graver, type StopCause } from "./stop-cause.ts";
import type { Tally } from "./tally.ts";

export interface StopRequest {
  readonly limits: SpendingLimits;
  /** Of what is stored. */
  readonly tally: Tally;
  readonly clock: Clock;
  readonly emit: (event: RunEvent) => void;
  /** After what is in flight was told to end. Called once at most. */
  readonly onHalt: () => void;
}

/** When a run begins no further trial, when it cancels those in flight, and why. */
export class RunStop {
  /** The gravest cause so far; null while there is none. */
  cause: StopCause | null = null;
  readonly #request: StopRequest;
  /** Of attempts as they end, where the runner tells them: they are stored later. */
  readonly #spent: Tally;
  readonly #cancel = new AbortController();
  readonly #closing = new AbortController();
  readonly #over = new AbortController();
  #hasToldUnmeasured = false;

  constructor(request: StopRequest) {
    this.#request = request;
    this.#spent = request.tally.copy();
  }

  /** Aborted when what is in flight is to end. */
  get cancelled(): AbortSignal {
    return this.#cancel.signal;
  }

  /** Aborted when no further trial is to begin. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Aborted when the run is done. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Does the work of the run, which `outer` interrupts and the limit of its duration closes. */
  async during(outer: AbortSignal, work: () => Promise<void>): Promise<void> {
    const interrupt = () => this.halt({ kind: "interrupted", message: reasonOf(outer) });
    if (outer.aborted) interrupt();
    outer.addEventListener("abort", interrupt, { once: true });
    void this.#closeInTime();
    try {
      await work();
    } finally {
      outer.removeEventListener("abort", interrupt);
      this.#over.abort("over");
    }
  }

  /** Begins no further trial; those that run go on to their end. */
  close(message: string): void {
    if (this.closing.aborted) return;
    this.cause = graver(this.cause, { kind: "limit_reached", message });
    this.#warn(`${message}; no further trial is begun, those that run go on`);
    this.#closing.abort(new AssayError("ASSAY_CANCELLED", message));
  }

  /** Cancels what is in flight. */
  halt(cause: StopCause): void {
    this.cause = graver(this.cause, cause);
    if (this.cancelled.aborted) return;
    this.#request.emit({ type: "cancelling", reason: cause.message });
    this.#closing.abort(new AssayError("ASSAY_CANCELLED", cause.message));
    this.#cancel.abort(new AssayError("ASSAY_CANCELLED", cause.message));
    this.#request.onHalt();
  }

  closeAtLimit(): void {
    const { limits, tally } = this.#request;
    const reached = limitReached(limits, this.#spent) ?? limitReached(limits, tally);
    if (reached !== null) this.close(reached);
  }

  /** An attempt has ended whose trial is not stored yet. */
  spend(attempt: Attempt): void {
    this.#spent.addAttempt(attempt);
    this.closeAtLimit();
  }

  /** Tells, after the first trial, of limits that nothing is measured for. */
  tellUnmeasured(): void {
    if (this.#hasToldUnmeasured) return;
    this.#hasToldUnmeasured = true;
    const { limits, tally } = this.#request;
    for (const message of unmeasuredLimits(limits, tally)) this.#warn(message);
  }

  async #closeInTime(): Promise<void> {
    const { limits, clock } = this.#request;
    const { maxDurationS } = limits;
    if (maxDurationS === undefined) return;
    await clock.sleep(maxDurationS * 1000, this.over).then(
      () => this.close(`limit reached: the run took ${maxDurationS} s (max-duration)`),
      () => {
        // The run ended before.
      },
    );
  }

  #warn(message: string): void {
    this.#request.emit({ type: "warning", message });
  }
}

function reasonOf(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  return typeof reason === "string" ? reason : messageOf(reason);
}
