import type { EvidenceFile } from "../../schema/evidence-file.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { bundleFiles, trialFolder } from "../layout.ts";
import { countScore, type TaskEntry, type TrialEntry } from "./record-entries.ts";
import { ofNoTask, quoted, trialText } from "./row-words.ts";

type EvidencePlace = Pick<EvidenceFile, "path" | "taskId" | "trialId">;

/** What rows have to satisfy that depends on whether their run has ended. A problem is a sentence of the row, or null. */
export interface RunRules {
  problemOfTrial(trial: Pick<TrialRecord, "id" | "taskId">, entry: TrialEntry): string | null;
  /** The metric is -1 when the task has none of the name. */
  problemOfScore(trial: TrialEntry | undefined, metric: number): string | null;
  problemOfEvidence(row: EvidencePlace, task: TaskEntry | undefined): string | null;
  /** What shows after the last row, with the file that it is told of. */
  problemsAtEnd(tasks: ReadonlyMap<string, TaskEntry>): Iterable<readonly [string, string]>;
}

export interface EndedShape {
  /** Assay wrote the rows: then there is a ledger. */
  readonly isOwn: boolean;
  /** Null when it is not known, or differs by task. */
  readonly trialsPerTask: number | null;
  /** Each planned trial has to be there, with its scores. */
  readonly isWhole: boolean;
}

const { trials, scores, attempts } = bundleFiles;

/** Of a run that has ended each row has what it belongs to, and stands once. Attempts are added before trials. */
export class EndedRun implements RunRules {
  readonly #shape: EndedShape;
  readonly #evidencePaths = new Set<string>();

  constructor(shape: EndedShape) {
    this.#shape = shape;
  }

  problemOfTrial({ id, taskId }: Pick<TrialRecord, "id" | "taskId">, entry: TrialEntry) {
    if (entry.rows > Math.max(1, entry.firstAttempts))
      return `${trialText(taskId, id)} stands in it twice`;
    const lacksAttempt = this.#shape.isOwn && entry.attempts === 0;
    return lacksAttempt ? `${trialText(taskId, id)} has no attempt in ${attempts}` : null;
  }

  problemOfScore(trial: TrialEntry | undefined, metric: number) {
    if (trial === undefined || trial.rows === 0)
      return `is of a trial that ${trials} does not have`;
    if (metric === -1) return null;
    return countScore(trial, metric) > trial.rows ? "stands in it twice" : null;
  }

  problemOfEvidence({ path, taskId, trialId }: EvidencePlace, task: TaskEntry | undefined) {
    if (this.#evidencePaths.has(path)) return "stands in it twice";
    this.#evidencePaths.add(path);
    if (!task?.trials.has(trialId))
      return `is of ${trialText(taskId, trialId)}, which is not there`;
    const folder = trialFolder({ taskIndex: task.index, taskId, trialId });
    // Two trials may have one id when a secret was taken out of it: then a number is behind the folder's name.
    const isThere = path.startsWith(folder) && /^(?:-\d+)?\//.test(path.slice(folder.length));
    return isThere ? null : `is not in the folder of its trial, ${folder}/`;
  }

  *problemsAtEnd(tasks: ReadonlyMap<string, TaskEntry>): Iterable<readonly [string, string]> {
    const { isWhole, trialsPerTask } = this.#shape;
    if (!isWhole) return;
    for (const [taskId, task] of tasks) {
      if (trialsPerTask !== null && task.trialCount !== trialsPerTask) {
        const found = `${task.trialCount} trials of task ${quoted(taskId)}`;
        yield [trials, `it has ${found}, and the plan ${trialsPerTask}`];
      }
      for (const [trialId, { rows, scores: counts }] of task.trials) {
        const index = counts.findIndex((count) => count < rows);
        if (index === -1) continue;
        const metric = quoted(task.metrics[index] ?? "");
        yield [scores, `it has no score of ${trialText(taskId, trialId)} by metric ${metric}`];
      }
    }
  }
}

/** Of a run that goes on or was killed, rows may lack what they belong to; only an attempt is there before its trial. */
export class UnendedRun implements RunRules {
  readonly #isOwn: boolean;

  constructor({ isOwn }: Pick<EndedShape, "isOwn">) {
    this.#isOwn = isOwn;
  }

  problemOfTrial() {
    return null;
  }

  problemOfScore() {
    return null;
  }

  problemOfEvidence({ taskId }: EvidencePlace, task: TaskEntry | undefined) {
    return task === undefined ? ofNoTask(taskId) : null;
  }

  *problemsAtEnd(tasks: ReadonlyMap<string, TaskEntry>): Iterable<readonly [string, string]> {
    if (!this.#isOwn) return;
    for (const [taskId, task] of tasks)
      for (const [trialId, { rows, attempts: known }] of task.trials)
        if (rows > 0 && known === 0)
          yield [attempts, `it has no attempt at ${trialText(taskId, trialId)}`];
  }
}
