import { AssayError } from "../../errors/assay-error.ts";
import { describeKind } from "../../support/json.ts";

/**
 * The values of a stream that others make, until it ends or `leave` is called: a stream that does not end after its
 * signal is left behind, so that what is finished is kept.
 */
export class Drain {
  #hasLeft = false;
  #onLeave: () => void = () => {};

  leave(): void {
    this.#hasLeft = true;
    this.#onLeave();
  }

  /** Throws what the stream throws. */
  async *valuesOf(stream: unknown): AsyncGenerator<unknown, void, undefined> {
    const iterator = iteratorOf(stream);
    try {
      while (true) {
        const next = await this.#orLeave(iterator.next());
        if (next === null || next.done === true) return;
        yield next.value;
      }
    } finally {
      // Not awaited: one that ignores its signal may never come back.
      if (this.#hasLeft) void Promise.resolve(iterator.return?.()).catch(() => {});
    }
  }

  /** Not `Promise.race`: a promise that outlives the others would keep every one of their values. */
  #orLeave<T>(next: Promise<T>): Promise<T | null> {
    if (this.#hasLeft) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.#onLeave = () => resolve(null);
      next.then(resolve, reject);
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
