import { setMaxListeners } from "node:events";

import type { Clock } from "../../contracts/clock.ts";

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
