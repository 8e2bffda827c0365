import { createEvidence } from "../../bundle/evidence/evidence.ts";
import type { StoredTrial, WriteDoor } from "../../bundle/write-door.ts";
import type { Metric } from "../../contracts/metric.ts";
import { messageOf } from "../../errors/assay-error.ts";
import type { TaskRecord } from "../../schema/task.ts";
import { WorkQueue } from "../../support/async-pool.ts";
import type { PreparedRun } from "../run-state.ts";
import type { StopCause } from "../trials/stop-cause.ts";
import type { Tally } from "../trials/tally.ts";
import type { Score } from "./score-record.ts";
import { type ScoringTools, scoreTrial } from "./score-trial.ts";

const metricTimeoutMs = 300_000;

export interface ScoringSetup {
  readonly run: PreparedRun;
  readonly door: WriteDoor;
  readonly tally: Tally;
  /** Aborted when the run is cancelled: no new score is begun. */
  readonly signal: AbortSignal;
  readonly halt: (stop: StopCause) => void;
}

/** Scores stored trials with a concurrency of its own, so that a slow judge never stalls a runner. */
export class ScoringDesk {
  readonly #setup: ScoringSetup;
  readonly #queue: WorkQueue;
  readonly #tools: ScoringTools;

  constructor(setup: ScoringSetup) {
    const { run, door, signal } = setup;
    const { files, clock } = run.platform;
    this.#setup = setup;
    this.#queue = new WorkQueue(run.scoringConcurrency);
    this.#tools = {
      clock,
      files,
      signal,
      log: run.log,
      baseDir: run.suite.baseDir,
      evidenceOf: ({ evidence }) =>
        createEvidence({
          set: evidence,
          baseDir: door.dir,
          isForeign: run.info.kind === "imported",
          files,
          process: run.process,
          scratch: run.scratch,
        }),
      defaultTimeoutMs: metricTimeoutMs,
    };
  }

  /** One job for each metric of the trial's task. */
  enqueue(stored: StoredTrial, taskIndex: number): void {
    const { run } = this.#setup;
    const task = run.tasks[taskIndex];
    if (task === undefined) return;
    for (const metric of run.metrics[taskIndex] ?? [])
      this.#add({ stored, taskIndex, task, metric });
  }

  /** Forgets what has not begun: resume computes it. */
  clear(): void {
    this.#queue.clear();
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }

  #add(job: ScoringJob): void {
    this.#queue.add(async () => {
      if (this.#setup.signal.aborted) return;
      try {
        const { stored, taskIndex, task, metric } = job;
        const place = {
          runId: this.#setup.run.runId,
          rowIndex: taskIndex,
          trial: stored.record,
          metric,
        };
        const score = await scoreTrial(place, task, this.#tools);
        if (score !== null) await this.#keep(score);
      } catch (cause) {
        this.#setup.halt({ kind: "store_failed", message: messageOf(cause), cause });
      }
    });
  }

  async #keep({ record, state }: Score): Promise<void> {
    const { run, door, tally, halt } = this.#setup;
    const { trialId, taskId, metricType } = record;
    tally.addScore(state, record);
    // A worker's slot does not wait for the flush; only the report does.
    void door.appendScores([record]).then(
      () => run.emit({ type: "score-end", trialId, taskId, metricType, status: state }),
      (cause: unknown) => halt({ kind: "store_failed", message: messageOf(cause), cause }),
    );
    await door.room();
    if (run.failFast && isMetricFailure(record)) {
      halt({
        kind: "fail_fast",
        message: `fail_fast: metric "${metricType}" failed on trial "${trialId}"`,
      });
    }
  }
}

interface ScoringJob {
  readonly stored: StoredTrial;
  readonly taskIndex: number;
  readonly task: TaskRecord;
  readonly metric: Metric;
}

function isMetricFailure({ diagnostics }: Score["record"]): boolean {
  return diagnostics.some(({ details }) => details["exception_type"] !== undefined);
}
