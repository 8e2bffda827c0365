import { AssayError } from "../../errors/assay-error.ts";
import { describeKind } from "../../support/json.ts";

/**
 * Takes the values of a stream that others make, until it ends or `leave` is called: a stream that does not end after its
 * signal is left behind, so that what is finished is kept.
 */
export class Drain {
  #hasLeft = false;
  #onLeave: () => void = () => {};

  leave(): void {
    this.#hasLeft = true;
    this.#onLeave();
  }

  /**
   * Hands over one value after the other, waiting for `take` where it gives a promise. Rejects with what the stream or
   * `take` throws. By hand: a generator, and a race for each value, cost several times as much.
   */
  each(stream: unknown, take: (value: unknown) => Promise<void> | null): Promise<void> {
    const iterator = iteratorOf(stream);
    return new Promise((resolve, reject) => {
      const guarded = (work: () => void) => {
        try {
          if (!this.#hasLeft) work();
        } catch (thrown) {
          reject(thrown);
        }
      };
      const receive = (next: IteratorResult<unknown>) =>
        guarded(() => {
          const taken = next.done === true ? resolve() : take(next.value);
          if (taken === null) ask();
          else taken?.then(ask, reject);
        });
      const ask = () => guarded(() => iterator.next().then(receive, reject));
      this.#onLeave = () => {
        // Not awaited: one that ignores its signal may never come back.
        void Promise.resolve(iterator.return?.()).catch(() => {});
        resolve();
      };
      if (this.#hasLeft) this.#onLeave();
      ask();
    });
  }
}

function iteratorOf(stream: unknown): AsyncIterator<unknown> {
  const open = (stream as Partial<AsyncIterable<unknown>> | null)?.[Symbol.asyncIterator];
  if (typeof open === "function") return open.call(stream);
  throw new AssayError(
    "ASSAY_RUNNER_FAILED",
    `runTasks() gave ${describeKind(stream)}, not an async iterable`,
  );
}
