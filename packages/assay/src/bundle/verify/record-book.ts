import type { AttemptRecord } from "../../schema/attempt.ts";
import type { EvidenceFile } from "../../schema/evidence-file.ts";
import type { ScoreRecord } from "../../schema/score.ts";
import type { TaskRecord } from "../../schema/task.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { bundleFiles } from "../layout.ts";
import type { FoundProblems } from "./problems.ts";
import { entryOf, type TaskEntry } from "./record-entries.ts";
import { ofNoTask, quoted, trialText } from "./row-words.ts";
import type { RunRules } from "./run-rules.ts";
import { evidencePathText, strayRefs } from "./stored-paths.ts";

/** What the rows are to agree with, besides each other. */
export interface BookShape {
  readonly runId: string;
  /** Assay wrote them: then there is a ledger, and ids are made in one way. */
  readonly isOwn: boolean;
  /** Null when it is not known, or differs by task. */
  readonly trialsPerTask: number | null;
}

const { tasks, trials, scores, attempts, evidence } = bundleFiles;

/**
 * Whether rows agree with each other: each trial has its task and its attempts, each score and each file of evidence its
 * trial, as the rules ask of such a run. Tasks are added first, then attempts, trials, scores, evidence; the rules say
 * whether trials may come before attempts.
 */
export class RecordBook {
  readonly counts = { tasks: 0, trials: 0, scores: 0, attempts: 0, evidence: 0 };
  /** Refs of trials to places that are no part of the bundle. Nothing follows them. */
  outsideRefs = 0;
  firstOutsideRef: string | null = null;
  readonly #shape: BookShape;
  readonly #rules: RunRules;
  readonly #found: FoundProblems;
  readonly #tasks = new Map<string, TaskEntry>();
  readonly #metricLists = new Map<string, readonly string[]>();

  constructor(shape: BookShape, rules: RunRules, found: FoundProblems) {
    this.#shape = shape;
    this.#rules = rules;
    this.#found = found;
  }

  addTask(task: Pick<TaskRecord, "id" | "metrics">): void {
    this.#tell(tasks, this.#problemOfTask(task));
    this.counts.tasks += 1;
  }

  addAttempt(attempt: AttemptRecord): void {
    this.counts.attempts += 1;
    this.#tell(attempts, this.#problemOfAttempt(attempt));
  }

  addTrial(trial: Pick<TrialRecord, "id" | "taskId" | "evidence">): void {
    this.counts.trials += 1;
    this.#tell(trials, this.#problemOfTrial(trial));
    if (trial.evidence !== null) this.#checkRefs(trial);
  }

  addScore(score: ScoreRecord): void {
    this.counts.scores += 1;
    const problem = this.#problemOfScore(score);
    if (problem === null) return;
    const { taskId, trialId, metricType } = score;
    const what = `the score of ${trialText(taskId, trialId)} by metric ${quoted(metricType)}`;
    this.#tell(scores, `${what} ${problem}`);
  }

  addEvidence(row: Pick<EvidenceFile, "path" | "taskId" | "trialId">): void {
    this.counts.evidence += 1;
    const pathProblem = evidencePathText(row.path);
    if (pathProblem !== null) {
      this.#found.malformed.addMalformed(evidence, pathProblem);
      return;
    }
    const problem = this.#rules.problemOfEvidence(row, this.#tasks.get(row.taskId));
    if (problem !== null) this.#tell(evidence, `the file ${quoted(row.path)} ${problem}`);
  }

  /** Task ids in the order of their rows. */
  taskIds(): Iterable<string> {
    return this.#tasks.keys();
  }

  /** After the last row. */
  end(): void {
    for (const [file, problem] of this.#rules.problemsAtEnd(this.#tasks)) this.#tell(file, problem);
  }

  #problemOfTask({ id, metrics }: Pick<TaskRecord, "id" | "metrics">): string | null {
    if (this.#tasks.has(id)) return `task ${quoted(id)} stands in it twice`;
    const types = this.#shared(metrics.map(({ type }) => type));
    const index = this.counts.tasks;
    this.#tasks.set(id, { index, metrics: types, trials: new Map(), trialCount: 0 });
    return null;
  }

  #problemOfAttempt({ taskId, trialId, trialIndex, attemptIndex }: AttemptRecord): string | null {
    const task = this.#tasks.get(taskId);
    if (task === undefined) return `an attempt at trial ${quoted(trialId)} ${ofNoTask(taskId)}`;
    const { trialsPerTask } = this.#shape;
    if (trialsPerTask !== null && trialIndex >= trialsPerTask) {
      const place = `trial number ${trialIndex} of task ${quoted(taskId)}`;
      return `it has an attempt at ${place}, of which the plan has ${trialsPerTask}`;
    }
    const trial = entryOf(task, trialId);
    trial.attempts += 1;
    if (attemptIndex === 0) trial.firstAttempts += 1;
    return null;
  }

  #problemOfTrial(trial: Pick<TrialRecord, "id" | "taskId">): string | null {
    const { id, taskId } = trial;
    const task = this.#tasks.get(taskId);
    if (task === undefined) return `trial ${quoted(id)} ${ofNoTask(taskId)}`;
    const entry = entryOf(task, id);
    entry.rows += 1;
    task.trialCount += 1;
    return this.#rules.problemOfTrial(trial, entry);
  }

  #problemOfScore({ id, runId, taskId, trialId, metricType }: ScoreRecord): string | null {
    const task = this.#tasks.get(taskId);
    if (task === undefined) return ofNoTask(taskId);
    const metric = task.metrics.indexOf(metricType);
    const problem = this.#rules.problemOfScore(task.trials.get(trialId), metric);
    if (problem !== null) return problem;
    if (metric === -1) return "is by a metric that the task does not have";
    if (!this.#shape.isOwn) return null;
    if (runId !== this.#shape.runId) return `is of the run ${quoted(runId)}`;
    return isMadeOf(id, [runId, taskId, trialId, metricType])
      ? null
      : `has the id ${quoted(id)}, which is not made from its run and trial`;
  }

  #checkRefs(trial: Pick<TrialRecord, "id" | "taskId" | "evidence">): void {
    for (const { leads, text } of strayRefs(trial)) {
      if (leads === "out" && this.#shape.isOwn) this.#found.malformed.addMalformed(trials, text);
      else {
        this.outsideRefs += 1;
        this.firstOutsideRef ??= text;
      }
    }
  }

  /** Few lists differ. */
  #shared(types: readonly string[]): readonly string[] {
    const key = JSON.stringify(types);
    const known = this.#metricLists.get(key) ?? types;
    this.#metricLists.set(key, known);
    return known;
  }

  #tell(file: string, problem: string | null): void {
    if (problem !== null) this.#found.disagreeing.add(file, "disagrees", problem);
  }
}

/** Whether a text is the parts with a colon between them; no such text is made to find out. */
function isMadeOf(text: string, parts: readonly string[]): boolean {
  let at = 0;
  for (const part of parts) {
    if (at > 0 && text[at - 1] !== ":") return false;
    if (!text.startsWith(part, at)) return false;
    at += part.length + 1;
  }
  return at === text.length + 1;
}
