import type { AttemptRecord } from "../../schema/attempt.ts";
import type { EvidenceFile } from "../../schema/evidence-file.ts";
import type { ScoreRecord } from "../../schema/score.ts";
import type { TaskRecord } from "../../schema/task.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { bundleFiles, trialFolder } from "../layout.ts";
import type { FoundProblems } from "./problems.ts";
import { evidencePathProblem, refProblem } from "./stored-paths.ts";

/** What the rows are to agree with, besides each other. */
export interface BookShape {
  readonly runId: string;
  /** Assay wrote them: then there is a ledger, and ids are made in one way. */
  readonly isOwn: boolean;
  /** Null when it is not known, or differs by task. */
  readonly trialsPerTask: number | null;
  /** Else rows may lack what they belong to: a kill leaves such. */
  readonly hasEnded: boolean;
  /** Each planned trial has to be there, with its scores. */
  readonly isWhole: boolean;
}

interface TaskEntry {
  readonly index: number;
  readonly metrics: readonly string[];
  readonly trials: Map<string, TrialEntry>;
  trialCount: number;
}

interface TrialEntry {
  /** Rows in trials.jsonl. */
  rows: number;
  attempts: number;
  /** Trials that the ledger knows by this id: as many as first attempts. */
  firstAttempts: number;
  /** Scores by metric of its task, in their order. */
  readonly scores: Uint8Array;
}

const { tasks, trials, scores, attempts, evidence } = bundleFiles;

/**
 * Whether rows agree with each other: each trial has its task and its attempts, each score and each file of evidence its
 * trial, nothing stands twice. Files are added in the order tasks, attempts, trials, scores, evidence; of a run that has
 * not ended, trials may come before attempts.
 */
export class RecordBook {
  readonly counts = { tasks: 0, trials: 0, scores: 0, attempts: 0, evidence: 0 };
  /** Refs of trials to places that are no part of the bundle. Nothing follows them. */
  outsideRefs = 0;
  firstOutsideRef: string | null = null;
  readonly #shape: BookShape;
  readonly #found: FoundProblems;
  readonly #tasks = new Map<string, TaskEntry>();
  readonly #metricLists = new Map<string, readonly string[]>();
  readonly #evidencePaths = new Set<string>();

  constructor(shape: BookShape, found: FoundProblems) {
    this.#shape = shape;
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
    const pathProblem = evidencePathProblem(row.path);
    if (pathProblem !== null) {
      const message = `the path ${quoted(row.path)} ${pathProblem}`;
      this.#found.malformed.addMalformed(evidence, message);
      return;
    }
    const problem = this.#problemOfEvidence(row);
    if (problem !== null) this.#tell(evidence, `the file ${quoted(row.path)} ${problem}`);
  }

  /** Task ids in the order of their rows. */
  taskIds(): Iterable<string> {
    return this.#tasks.keys();
  }

  /** After the last row. */
  end(): void {
    const { hasEnded, isOwn, isWhole, trialsPerTask } = this.#shape;
    if (!hasEnded && isOwn) this.#tellUnledgered();
    if (!isWhole) return;
    for (const [taskId, task] of this.#tasks) {
      if (trialsPerTask !== null && task.trialCount !== trialsPerTask)
        this.#tell(
          trials,
          `it has ${task.trialCount} trials of task ${quoted(taskId)}, and the plan ${trialsPerTask}`,
        );
      for (const [trialId, { rows, scores: found }] of task.trials) {
        const index = found.findIndex((count) => count < rows);
        if (index !== -1)
          this.#tell(
            scores,
            `it has no score of ${trialText(taskId, trialId)} by metric ${quoted(task.metrics[index] ?? "")}`,
          );
      }
    }
  }

  /** While a run goes on its trials may be added before their attempts. */
  #tellUnledgered(): void {
    for (const [taskId, task] of this.#tasks)
      for (const [trialId, { rows, attempts: known }] of task.trials)
        if (rows > 0 && known === 0)
          this.#tell(attempts, `it has no attempt at ${trialText(taskId, trialId)}`);
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

  #problemOfTrial({ id, taskId }: Pick<TrialRecord, "id" | "taskId">): string | null {
    const task = this.#tasks.get(taskId);
    if (task === undefined) return `trial ${quoted(id)} ${ofNoTask(taskId)}`;
    const entry = entryOf(task, id);
    entry.rows += 1;
    task.trialCount += 1;
    if (!this.#shape.hasEnded) return null;
    if (entry.rows > Math.max(1, entry.firstAttempts))
      return `${trialText(taskId, id)} stands in it twice`;
    const lacksAttempt = this.#shape.isOwn && entry.attempts === 0;
    return lacksAttempt ? `${trialText(taskId, id)} has no attempt in ${attempts}` : null;
  }

  #problemOfScore({ id, runId, taskId, trialId, metricType }: ScoreRecord): string | null {
    const task = this.#tasks.get(taskId);
    if (task === undefined) return ofNoTask(taskId);
    const trial = task.trials.get(trialId);
    const { hasEnded } = this.#shape;
    if (hasEnded && (trial === undefined || trial.rows === 0))
      return `is of a trial that ${trials} does not have`;
    const metric = task.metrics.indexOf(metricType);
    if (metric === -1) return "is by a metric that the task does not have";
    if (hasEnded && trial !== undefined && isOneTooMany(trial, metric)) return "stands in it twice";
    if (!this.#shape.isOwn) return null;
    if (runId !== this.#shape.runId) return `is of the run ${quoted(runId)}`;
    return isMadeOf(id, [runId, taskId, trialId, metricType])
      ? null
      : `has the id ${quoted(id)}, which is not made from its run and trial`;
  }

  #problemOfEvidence({
    path,
    taskId,
    trialId,
  }: Pick<EvidenceFile, "path" | "taskId" | "trialId">): string | null {
    if (!this.#shape.hasEnded) return this.#tasks.has(taskId) ? null : ofNoTask(taskId);
    if (this.#evidencePaths.has(path)) return "stands in it twice";
    this.#evidencePaths.add(path);
    const task = this.#tasks.get(taskId);
    const trial = task?.trials.get(trialId);
    if (task === undefined || trial === undefined)
      return `is of ${trialText(taskId, trialId)}, which is not there`;
    const folder = trialFolder({ taskIndex: task.index, taskId, trialId });
    // Two trials may have one id when a secret was taken out of it: then a number is behind the folder's name.
    const isThere = path.startsWith(folder) && /^(?:-\d+)?\//.test(path.slice(folder.length));
    return isThere ? null : `is not in the folder of its trial, ${folder}/`;
  }

  #checkRefs({ id, taskId, evidence: set }: Pick<TrialRecord, "id" | "taskId" | "evidence">): void {
    for (const [name, { ref }] of Object.entries(set?.descriptors ?? {})) {
      const problem = ref === null ? null : refProblem(ref);
      if (problem === null) continue;
      const place = `the evidence ${quoted(name)} of ${trialText(taskId, id)} has the ref ${quoted(ref ?? "")}`;
      if (problem === "leads_out" && this.#shape.isOwn)
        this.#found.malformed.addMalformed(trials, `${place}, which leads out of the bundle`);
      else {
        this.outsideRefs += 1;
        this.firstOutsideRef ??= place;
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

function ofNoTask(taskId: string): string {
  return `is of task ${quoted(taskId)}, which ${tasks} does not have`;
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

/** Counts a score; true when its trial has one by this metric already. */
function isOneTooMany({ rows, scores }: TrialEntry, metric: number): boolean {
  const count = (scores[metric] ?? 0) + 1;
  scores[metric] = Math.min(count, 255);
  return count > rows;
}

function entryOf(task: TaskEntry, trialId: string): TrialEntry {
  const known = task.trials.get(trialId);
  if (known !== undefined) return known;
  const scores = new Uint8Array(task.metrics.length);
  const made: TrialEntry = { rows: 0, attempts: 0, firstAttempts: 0, scores };
  task.trials.set(trialId, made);
  return made;
}

const longestShown = 100;

function quoted(text: string): string {
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}...` : text;
  return JSON.stringify(shown);
}

function trialText(taskId: string, trialId: string): string {
  return `trial ${quoted(trialId)} of task ${quoted(taskId)}`;
}
