import type { Clock } from "../contracts/clock.ts";

interface Sleeper {
  readonly dueMs: number;
  readonly wake: () => void;
}

/** A clock that stands still until it is told to go on. Wall and monotonic time go together. */
export class FakeClock implements Clock {
  readonly #startMs: number;
  readonly #sleepers = new Set<Sleeper>();
  readonly #watchers = new Set<() => void>();
  #elapsedMs = 0;

  constructor(start: Date = new Date("2026-01-01T00:00:00Z")) {
    this.#startMs = start.getTime();
  }

  now(): Date {
    return new Date(this.#startMs + this.#elapsedMs);
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const leave = () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener("abort", cancel);
      };
      const cancel = () => {
        leave();
        reject(signal?.reason);
      };
      const wake = () => {
        leave();
        resolve();
      };
      const sleeper = { dueMs: this.#elapsedMs + ms, wake };
      this.#sleepers.add(sleeper);
      signal?.addEventListener("abort", cancel, { once: true });
      for (const look of this.#watchers) look();
    });
  }

  /** Resolves once at least `count` sleep. */
  whenSleeping(count = 1): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (this.#sleepers.size < count) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }

  /** Goes on by `ms`, waking who is due on the way, in order; what they do has time to settle. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#elapsedMs + ms;
    await settle();
    for (let next = this.#nextDue(untilMs); next !== null; next = this.#nextDue(untilMs)) {
      this.#elapsedMs = Math.max(this.#elapsedMs, next.dueMs);
      next.wake();
      await settle();
    }
    this.#elapsedMs = untilMs;
  }

  #nextDue(untilMs: number): Sleeper | null {
    const due = [...this.#sleepers].filter(({ dueMs }) => dueMs <= untilMs);
    return due.sort((a, b) => a.dueMs - b.dueMs)[0] ?? null;
  }
}

/** Lets every promise that can go on do so. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
