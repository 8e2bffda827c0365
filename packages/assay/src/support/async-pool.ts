/** Values that arrive one by one from many producers, as one stream. */
export class AsyncQueue<T> implements AsyncIterable<T>, AsyncIterator<T, void> {
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
    return { next: () => this.next() };
  }

  next(): Promise<IteratorResult<T, void>> {
    if (this.size === 0) return this.#nextLater();
    return Promise.resolve({ value: this.#take(), done: false });
  }

  async #nextLater(): Promise<IteratorResult<T, void>> {
    while (this.size === 0) {
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

export interface LateStream<T> {
  /** Called once, by whoever reads first. */
  readonly open: () => Promise<AsyncIterator<T>>;
  /** Called when the reader stops before the end. */
  readonly close: () => void;
}

/** A stream that is opened when it is first read. */
export function openedLater<T>({ open, close }: LateStream<T>): AsyncIterable<T> {
  let isClosed = false;
  let values: AsyncIterator<T> | null = null;
  let opening: Promise<AsyncIterator<T>> | null = null;
  const openAndRead = async (): Promise<IteratorResult<T>> => {
    if (isClosed) return ended;
    opening ??= open();
    values = await opening;
    return isClosed ? ended : await values.next();
  };
  const iterator: AsyncIterator<T> = {
    next: () => (isClosed || values === null ? openAndRead() : values.next()),
    return: () => {
      isClosed = true;
      close();
      return Promise.resolve(ended);
    },
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

const ended: IteratorResult<never, undefined> = { value: undefined, done: true };

export interface PoolOptions<T, R> {
  readonly items: Iterable<T>;
  /** Items worked on at once. */
  readonly concurrency: number;
  /** With null nothing comes of the item. */
  readonly work: (item: T) => R | null | Promise<R | null>;
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
}: PoolOptions<T, R>): AsyncQueue<R> {
  const queue = new AsyncQueue<R>();
  const iterator = items[Symbol.iterator]();
  const limit = Math.max(maxUnread, concurrency);
  let hasFailed = false;
  const worker = async () => {
    while (!signal.aborted && !hasFailed) {
      const next = iterator.next();
      if (next.done === true) return;
      const result = await work(next.value);
      if (result !== null) queue.push(result);
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

/** Work of a queue: a promise where it has something to wait for. Must not throw. */
export type Job = () => Promise<unknown> | null;

interface WaitingJob {
  readonly job: Job;
  readonly sizeBytes: number;
}

/** Runs jobs with bounded concurrency, in the order they were added: at once while there is room. */
export class WorkQueue {
  readonly #concurrency: number;
  readonly #waiting: (WaitingJob | null)[] = [];
  #head = 0;
  #waitingBytes = 0;
  #running = 0;
  #adders: (() => void)[] = [];
  #idle: (() => void)[] = [];

  readonly #onEnd = () => {
    this.#running -= 1;
    this.#startWaiting();
    this.#wakeIfIdle();
  };

  constructor(concurrency: number) {
    this.#concurrency = Math.max(1, concurrency);
  }

  /** `sizeBytes` is what the job keeps alive while it waits. */
  add(job: Job, sizeBytes = 0): void {
    if (this.#running < this.#concurrency && this.#head >= this.#waiting.length) {
      this.#start(job);
      return;
    }
    this.#waiting.push({ job, sizeBytes });
    this.#waitingBytes += sizeBytes;
  }

  /** Forgets the jobs that have not begun. */
  clear(): void {
    this.#waiting.length = 0;
    this.#head = 0;
    this.#waitingBytes = 0;
    this.#wakeAdders();
    this.#wakeIfIdle();
  }

  /** What waits keeps so much alive. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Resolves when what waits keeps no more than `limitBytes` alive. */
  async room(limitBytes: number): Promise<void> {
    while (this.#waitingBytes > limitBytes)
      await new Promise<void>((resolve) => this.#adders.push(resolve));
  }

  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void> {
    if (this.#running === 0 && this.#head >= this.#waiting.length) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #start(job: Job): void {
    this.#running += 1;
    const running = job();
    if (running === null) this.#running -= 1;
    else void running.then(this.#onEnd);
  }

  #startWaiting(): void {
    while (this.#running < this.#concurrency && this.#head < this.#waiting.length) {
      const { job, sizeBytes } = this.#waiting[this.#head] as WaitingJob;
      this.#waiting[this.#head] = null;
      this.#head += 1;
      this.#waitingBytes -= sizeBytes;
      this.#wakeAdders();
      this.#start(job);
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
