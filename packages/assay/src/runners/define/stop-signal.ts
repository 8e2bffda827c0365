import { setMaxListeners } from "node:events";

import type { Clock } from "../../contracts/clock.ts";
import { InFlight } from "../../support/in-flight.ts";

/** Tells one attempt to stop. The signal is made for those who look at it: it costs more than a short trial. */
export class StopSignal {
  #controller: AbortController | null = null;
  #stopped: { readonly reason: unknown } | null = null;

  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      // An agent may listen for each of its calls; Node would warn of the eleventh.
      setMaxListeners(0, this.#controller.signal);
      if (this.#stopped !== null) this.#controller.abort(this.#stopped.reason);
    }
    return this.#controller.signal;
  }

  /** Somebody looked at the signal, and so may have acted upon it. */
  get isWatched(): boolean {
    return this.#controller !== null;
  }

  /** The first reason counts. */
  stop(reason: unknown): void {
    if (this.#stopped !== null) return;
    this.#stopped = { reason };
    this.#controller?.abort(reason);
  }
}

/** Waits of one attempt, which end with it. */
export class Waits {
  readonly #clock: Clock;
  #controller: AbortController | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `then` after `ms`, unless all is over before. */
  after(ms: number, then: () => void): void {
    this.#controller ??= new AbortController();
    void this.#clock.sleep(ms, this.#controller.signal).then(then, () => {});
  }

  end(): void {
    // With a reason: without one, an error with its stack would be made each time.
    this.#controller?.abort("over");
  }
}

/**
 * Tells the attempts in flight that their run is cancelled, with one listener for all of them. A listener of each would
 * hold the next one, and so all that belongs to later attempts, until the collector does its long work.
 */
export class Cancellation {
  readonly #signal: AbortSignal;
  readonly #cancels = new InFlight<(reason: unknown) => void>();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    const tellAll = () => {
      for (const cancel of this.#cancels.members()) cancel(signal.reason);
    };
    signal.addEventListener("abort", tellAll, { once: true });
  }

  get isCancelled(): boolean {
    return this.#signal.aborted;
  }

  /** Calls `cancel` when the run is cancelled, at once when it is already. Gives the place for `remove`. */
  add(cancel: (reason: unknown) => void): number {
    if (this.isCancelled) cancel(this.#signal.reason);
    return this.#cancels.add(cancel);
  }

  remove(place: number): void {
    this.#cancels.remove(place);
  }
}
