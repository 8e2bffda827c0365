import { createEvidence } from "../../bundle/evidence/evidence.ts";
import type { WriteDoor } from "../../bundle/write-door.ts";
import type { Evidence } from "../../contracts/evidence.ts";
import type { MetricInput } from "../../contracts/metric.ts";
import type { EvidenceSet } from "../../schema/evidence.ts";
import type { TaskRecord } from "../../schema/task.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { WorkQueue } from "../../support/async-pool.ts";
import { isPending } from "../../support/is-pending.ts";
import type { PreparedRun } from "../run-state.ts";
import { type StopCause, storeFailed } from "../trials/stop-cause.ts";
import type { Tally } from "../trials/tally.ts";
import { metricInput, type TaskView, taskView } from "./metric-input.ts";
import { type Redactions, redactionsOfTask, withRedactionNote } from "./redaction-note.ts";
import { type Score, type ScorePlace, scoreAsStored } from "./score-record.ts";
import { type ScoringTools, scoreTrial } from "./score-trial.ts";
import { TimeLimits } from "./time-limits.ts";

export interface ScoringSetup {
  readonly run: PreparedRun;
  readonly door: WriteDoor;
  readonly tally: Tally;
  /** Aborted when the run is cancelled: no new score is begun. */
  readonly signal: AbortSignal;
  readonly halt: (stop: StopCause) => void;
}

export interface TrialToScore {
  /** As it is stored. */
  readonly trial: TrialRecord;
  readonly taskIndex: number;
  /** About what it takes. */
  readonly trialBytes: number;
  /** What was removed from it and from its evidence. */
  readonly redactionCount: number;
  /** Positions of metrics in the task. Default: all. */
  readonly metricIndexes?: readonly number[];
}

/** What trials that wait for their scores may keep alive: then their runner waits too. */
const maxWaitingBytes = 32 * 1024 * 1024;
/** Of a score that waits, besides its trial. */
const jobBytes = 1024;
/** No metric sees a trial that could not be produced. */
const nothingRemoved: Redactions = { trial: 0, task: 0 };

/** Scores stored trials with a concurrency of its own, so that a slow judge never stalls a runner. */
export class ScoringDesk {
  readonly #setup: ScoringSetup;
  readonly #queue: WorkQueue;
  readonly #tools: ScoringTools;
  /** What was removed from the task that was asked for last. */
  #lastTask = { taskIndex: -1, count: 0 };
  #lastView: TaskView | null = null;
  /** Of every trial that has none. */
  readonly #noEvidence: Evidence;

  constructor(setup: ScoringSetup) {
    const { run, signal } = setup;
    const { files, clock } = run.platform;
    this.#setup = setup;
    this.#queue = new WorkQueue(run.scoringConcurrency);
    this.#tools = {
      clock,
      files,
      signal,
      log: run.log,
      sandboxes: run.sandboxes,
      baseDir: run.suite.baseDir,
      redact: run.redactor.text,
      limits: new TimeLimits(clock, signal),
      placeOf: (thrown) => run.suite.code?.placeOf(thrown) ?? null,
    };
    this.#noEvidence = Object.freeze(this.#evidenceOf(null));
  }

  /** One job for each metric. */
  enqueue({ trial, taskIndex, trialBytes, redactionCount, metricIndexes }: TrialToScore): void {
    const { runId, metrics } = this.#setup.run;
    const redactions =
      trial.status === "failed"
        ? nothingRemoved
        : { trial: redactionCount, task: this.#redactionsOfTask(taskIndex) };
    let shared: MetricInput | null = null;
    const input = () => {
      shared ??= this.#inputOf(trial, taskIndex);
      return shared;
    };
    (metrics[taskIndex] ?? []).forEach((metric, index) => {
      if (metricIndexes?.includes(index) === false) return;
      const place = { runId, rowIndex: taskIndex, trial, metric };
      this.#queue.add(() => this.#score(place, input, redactions), trialBytes + jobBytes);
    });
  }

  get isFull(): boolean {
    return this.#queue.waitingBytes > maxWaitingBytes;
  }

  /** Resolves when few enough scores wait to be begun. */
  async room(): Promise<void> {
    await this.#queue.room(maxWaitingBytes);
  }

  /** Forgets what has not begun: resume computes it. */
  clear(): void {
    this.#queue.clear();
  }

  /** Resolves when everything that was given is scored. */
  async finish(): Promise<void> {
    await this.#queue.idle();
    this.#tools.limits.close();
  }

  #score(
    place: ScorePlace,
    input: () => MetricInput,
    redactions: Redactions,
  ): Promise<unknown> | null {
    const { signal, halt } = this.#setup;
    if (signal.aborted) return null;
    const fail = (cause: unknown) => halt(storeFailed(cause));
    try {
      const score = scoreTrial(place, input, this.#tools);
      if (!isPending(score)) return this.#keep(score, redactions);
      return score.then((later) => this.#keep(later, redactions)).catch(fail);
    } catch (cause) {
      fail(cause);
      return null;
    }
  }

  /** The trials of a task mostly come one after the other. */
  #redactionsOfTask(taskIndex: number): number {
    if (this.#lastTask.taskIndex !== taskIndex) {
      const count = redactionsOfTask(this.#taskAt(taskIndex));
      this.#lastTask = { taskIndex, count };
    }
    return this.#lastTask.count;
  }

  #taskAt(taskIndex: number): TaskRecord {
    return this.#setup.run.tasks[taskIndex] as TaskRecord;
  }

  #inputOf(trial: TrialRecord, taskIndex: number): MetricInput {
    const evidence = trial.evidence === null ? this.#noEvidence : this.#evidenceOf(trial.evidence);
    return metricInput({ task: this.#viewOf(taskIndex), trial, evidence });
  }

  #viewOf(taskIndex: number): TaskView {
    if (this.#lastView?.rowIndex !== taskIndex)
      this.#lastView = taskView(this.#taskAt(taskIndex), taskIndex);
    return this.#lastView;
  }

  #evidenceOf(set: EvidenceSet | null): Evidence {
    const { run, door } = this.#setup;
    return createEvidence({
      set,
      baseDir: door.dir,
      isForeign: run.info.kind === "imported",
      files: run.platform.files,
      process: run.process,
      scratch: run.scratch,
    });
  }

  /** A worker's slot does not wait for the flush, but for room where too much is unflushed. */
  #keep(score: Score | null, redactions: Redactions): Promise<void> | null {
    if (score === null) return null;
    const { door } = this.#setup;
    const record = withRedactionNote(score.record, redactions);
    this.#store(record === score.record ? score : { ...score, record });
    return door.isFull ? door.room() : null;
  }

  #store(given: Score): void {
    const { run, door, tally, halt } = this.#setup;
    const stored = door.admitScore(given.record);
    const score = scoreAsStored(given, stored.record);
    const { trialId, taskId, metricType } = score.record;
    const end = { type: "score-end", trialId, taskId, metricType, status: score.state } as const;
    tally.addScore(score);
    void door.appendScore(stored, run.reportOf(end));
    if (run.failFast && score.hasMetricFailed) {
      halt({
        kind: "fail_fast",
        message: `fail_fast: metric "${metricType}" failed on trial "${trialId}"`,
      });
    }
  }
}
