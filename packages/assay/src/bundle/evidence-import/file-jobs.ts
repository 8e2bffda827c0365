const maxAtOnce = 8;

/** A few files that are stored at once, while the walk goes on. */
export class FileJobs {
  readonly #running = new Set<Promise<void>>();
  #failure: { readonly thrown: unknown } | null = null;

  /** Resolves when there is room for the next. Throws when one before has failed. */
  async add(work: Promise<void>): Promise<void> {
    const job: Promise<void> = work
      .catch((thrown: unknown) => {
        this.#failure ??= { thrown };
      })
      .then(() => {
        this.#running.delete(job);
      });
    this.#running.add(job);
    if (this.#running.size >= maxAtOnce) await Promise.race(this.#running);
    this.throwFailure();
  }

  /** Resolves when all have ended, well or not. */
  async end(): Promise<void> {
    await Promise.all(this.#running);
  }

  throwFailure(): void {
    if (this.#failure !== null) throw this.#failure.thrown;
  }
}
