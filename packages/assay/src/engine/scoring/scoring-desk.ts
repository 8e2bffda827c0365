import { createEvidence } from "../../bundle/evidence/evidence.ts";
import type { WriteDoor } from "../../bundle/write-door.ts";
import type { Evidence } from "../../contracts/evidence.ts";
import type { MetricInput } from "../../contracts/metric.ts";
import type { EvidenceSet } from "../../schema/evidence.ts";
import type { TaskRecord } from "../../schema/task.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { WorkQueue } from "../../support/async-pool.ts";
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
  /** What was removed from it and from its evidence. */
  readonly redactionCount: number;
  /** Positions of metrics in the task. Default: all. */
  readonly metricIndexes?: readonly number[];
}

const maxWaiting = 256;

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
  enqueue({ trial, taskIndex, redactionCount, metricIndexes }: TrialToScore): void {
    const { runId, metrics } = this.#setup.run;
    const redactions = { trial: redactionCount, task: this.#redactionsOfTask(taskIndex) };
    let shared: MetricInput | null = null;
    const input = () => {
      shared ??= this.#inputOf(trial, taskIndex);
      return shared;
    };
    for (const [index, metric] of (metrics[taskIndex] ?? []).entries()) {
      if (metricIndexes?.includes(index) === false) continue;
      this.#queue.add(() =>
        this.#score({ runId, rowIndex: taskIndex, trial, metric }, input, redactions),
      );
    }
  }

  /** Resolves when few enough scores wait to be begun. */
  async room(): Promise<void> {
    await this.#queue.room(maxWaiting);
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

  async #score(place: ScorePlace, input: () => MetricInput, redactions: Redactions): Promise<void> {
    if (this.#setup.signal.aborted) return;
    try {
      const score = await scoreTrial(place, input, this.#tools);
      if (score === null) return;
      const isJudged = place.trial.status !== "failed";
      const record = isJudged ? withRedactionNote(score.record, redactions) : score.record;
      this.#keep(record === score.record ? score : { ...score, record });
      if (this.#setup.door.isFull) await this.#setup.door.room();
    } catch (cause) {
      this.#setup.halt(storeFailed(cause));
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

  /** A worker's slot does not wait for the flush; only the report does. */
  #keep(given: Score): void {
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
