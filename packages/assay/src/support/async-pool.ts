/** Values that arrive one by one from many producers, as one stream. */
export class AsyncQueue<T> implements AsyncIterable<T> {
  readonly #values: T[] = [];
  #head = 0;
  #wake: (() => void) | null = null;
  readonly #producers: (() => void)[] = [];
  #isClosed = false;
  #failure: { readonly thrown: unknown } | null = null;

  push(value: T): void {
    this.#values.push(value);
    this.#notify();
  }

  /** No more values; those already here are still given. */
  close(): void {
    this.#isClosed = true;
    this.#notify();
  }

  /** Ends the stream with an error, after the values already here. */
  fail(thrown: unknown): void {
    this.#failure ??= { thrown };
    this.close();
  }

  /** Resolves when fewer than `limit` values wait to be read. */
  async room(limit: number): Promise<void> {
    while (this.size >= limit) {
      await new Promise<void>((resolve) => {
        this.#producers.push(resolve);
      });
    }
  }

  get size(): number {
    return this.#values.length - this.#head;
  }

  /** Not a generator: each of its values would take several turns. */
  [Symbol.asyncIterator](): AsyncIterator<T, void, undefined> {
    return { next: () => this.#next() };
  }

  async #next(): Promise<IteratorResult<T, void>> {
    while (this.#head === this.#values.length) {
      if (this.#failure !== null) throw this.#failure.thrown;
      if (this.#isClosed) return { value: undefined, done: true };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return { value: this.#take(), done: false };
  }

  #take(): T {
    const value = this.#values[this.#head] as T;
    this.#values[this.#head] = undefined as T;
    this.#head += 1;
    if (this.#head > 1024 && this.#head * 2 > this.#values.length) {
      this.#values.splice(0, this.#head);
      this.#head = 0;
    }
    this.#producers.shift()?.();
    return value;
  }

  #notify(): void {
    this.#wake?.();
    this.#wake = null;
  }
}

export interface PoolOptions<T, R> {
  readonly items: Iterable<T>;
  /** Items worked on at once. */
  readonly concurrency: number;
  readonly work: (item: T) => Promise<R>;
  /** No new item is taken once aborted; those in work end by themselves. */
  readonly signal: AbortSignal;
}

/** Results that wait to be read before workers wait too. */
const maxUnread = 64;

/**
 * Works on items with bounded concurrency, pulling each only when a worker is free; results come as they end, and a
 * slow reader slows the workers. A throw ends the stream after what is in work.
 */
export function runPool<T, R>({
  items,
  concurrency,
  work,
  signal,
}: PoolOptions<T, R>): AsyncIterable<R> {
  const queue = new AsyncQueue<R>();
  const iterator = items[Symbol.iterator]();
  const limit = Math.max(maxUnread, concurrency);
  let hasFailed = false;
  const worker = async () => {
    while (!signal.aborted && !hasFailed) {
      const next = iterator.next();
      if (next.done === true) return;
      queue.push(await work(next.value));
      if (queue.size >= limit) await queue.room(limit);
    }
  };
  const guarded = () =>
    worker().catch((thrown: unknown) => {
      hasFailed = true;
      throw thrown;
    });
  const workers = Array.from({ length: Math.max(1, concurrency) }, guarded);
  void Promise.allSettled(workers).then((settled) => {
    const failed = settled.find((result) => result.status === "rejected");
    if (failed === undefined) queue.close();
    else queue.fail(failed.reason);
  });
  return queue;
}

/** Runs jobs with bounded concurrency, in the order they were added. A job must not throw. */
export class WorkQueue {
  readonly #concurrency: number;
  readonly #waiting: (() => Promise<void>)[] = [];
  #head = 0;
  #running = 0;
  #adders: (() => void)[] = [];
  #idle: (() => void)[] = [];

  readonly #onEnd = () => {
    this.#running -= 1;
    this.#start();
    this.#wakeIfIdle();
  };

  constructor(concurrency: number) {
    this.#concurrency = Math.max(1, concurrency);
  }

  add(job: () => Promise<void>): void {
    this.#waiting.push(job);
    this.#start();
  }

  /** Forgets the jobs that have not begun. */
  clear(): void {
    this.#waiting.length = 0;
    this.#head = 0;
    this.#wakeAdders();
    this.#wakeIfIdle();
  }

  /** Resolves when fewer than `limit` jobs wait to be begun. */
  async room(limit: number): Promise<void> {
    while (this.#waiting.length - this.#head >= limit)
      await new Promise<void>((resolve) => this.#adders.push(resolve));
  }

  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void> {
    if (this.#running === 0 && this.#head >= this.#waiting.length) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #start(): void {
    while (this.#running < this.#concurrency && this.#head < this.#waiting.length) {
      const job = this.#waiting[this.#head] as () => Promise<void>;
      this.#waiting[this.#head] = undefined as never;
      this.#head += 1;
      this.#running += 1;
      this.#wakeAdders();
      void job().then(this.#onEnd);
    }
    if (this.#head > 1024 && this.#head * 2 > this.#waiting.length) {
      this.#waiting.splice(0, this.#head);
      this.#head = 0;
    }
  }

  #wakeAdders(): void {
    for (const wake of this.#adders.splice(0)) wake();
  }

  #wakeIfIdle(): void {
    if (this.#running > 0 || this.#head < this.#waiting.length) return;
    for (const wake of this.#idle.splice(0)) wake();
  }
}
