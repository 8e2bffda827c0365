import type { Clock } from "../../contracts/clock.ts";
import { StopSignal } from "../../runners/define/stop-signal.ts";
import { InFlight } from "../../support/in-flight.ts";
import { isPending } from "../../support/is-pending.ts";

/** What a job within a time limit may ask for. */
export interface LimitedJob {
  /** Aborted at the limit and when everything is cancelled. Made when it is first read: most jobs never do. */
  readonly signal: AbortSignal;
}

export interface Limit {
  readonly ms: number;
  /** What the job is rejected with at its limit. */
  readonly error: () => Error;
}

/** Time limits of many short jobs, with one timer and one listener for all of them. */
export class TimeLimits {
  readonly #clock: Clock;
  readonly #cancelled: AbortSignal;
  readonly #jobs = new InFlight<Job>();
  readonly #onCancel = () => this.#stopAll(this.#cancelled.reason);
  /** When the timer is due; it may be earlier than the first job. */
  #dueMs = Number.POSITIVE_INFINITY;
  #timer = new AbortController();

  constructor(clock: Clock, cancelled: AbortSignal) {
    this.#clock = clock;
    this.#cancelled = cancelled;
    cancelled.addEventListener("abort", this.#onCancel, { once: true });
  }

  /**
   * What the work gives, at once where it has nothing to wait for; else settles with it, or rejects at the limit or with
   * the reason of the cancellation, whichever comes first. The limit counts from when the work first waits: what it does
   * before that cannot be stopped.
   */
  run<T>(limit: Limit, work: (job: LimitedJob) => T | Promise<T>): T | Promise<T> {
    const job = new Job(limit);
    const result = work(job);
    if (!isPending(result)) return result;
    return new Promise((resolve, reject) => {
      job.reject = reject;
      const place = this.#add(job);
      result.then(
        (value) => {
          this.#jobs.remove(place);
          resolve(value);
        },
        (thrown: unknown) => {
          this.#jobs.remove(place);
          reject(thrown);
        },
      );
    });
  }

  /** No timer outlives this. */
  close(): void {
    this.#timer.abort("closed");
    this.#cancelled.removeEventListener("abort", this.#onCancel);
  }

  #add(job: Job): number {
    job.dueMs = this.#clock.monotonicMs() + job.limit.ms;
    const place = this.#jobs.add(job);
    if (this.#cancelled.aborted) job.stop(this.#cancelled.reason);
    else if (job.dueMs < this.#dueMs) this.#arm(job.dueMs);
    return place;
  }

  #arm(dueMs: number): void {
    this.#timer.abort("earlier");
    this.#timer = new AbortController();
    this.#dueMs = dueMs;
    const waitMs = Math.max(0, dueMs - this.#clock.monotonicMs());
    this.#clock.sleep(waitMs, this.#timer.signal).then(
      () => this.#stopOverdue(),
      () => {
        // Another timer took its place, or none is needed any more.
      },
    );
  }

  #stopOverdue(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#dueMs = Number.POSITIVE_INFINITY;
    const jobs = this.#jobs.members();
    for (const job of jobs) if (job.dueMs <= nowMs) job.stop(job.limit.error());
    const left = jobs.filter((job) => !job.isStopped).map(({ dueMs }) => dueMs);
    if (left.length > 0) this.#arm(Math.min(...left));
  }

  #stopAll(reason: unknown): void {
    this.#timer.abort("cancelled");
    for (const job of this.#jobs.members()) job.stop(reason);
  }
}

class Job implements LimitedJob {
  readonly limit: Limit;
  dueMs = Number.POSITIVE_INFINITY;
  reject: (reason: unknown) => void = ignore;
  #stop: StopSignal | null = null;
  #stopped: { readonly reason: unknown } | null = null;

  constructor(limit: Limit) {
    this.limit = limit;
  }

  get isStopped(): boolean {
    return this.#stopped !== null;
  }

  get signal(): AbortSignal {
    this.#stop ??= new StopSignal();
    if (this.#stopped !== null) this.#stop.stop(this.#stopped.reason);
    return this.#stop.signal;
  }

  stop(reason: unknown): void {
    if (this.#stopped !== null) return;
    this.#stopped = { reason };
    this.#stop?.stop(reason);
    this.reject(reason);
  }
}

function ignore(): void {}
