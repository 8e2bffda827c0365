/** What a record book keeps of a task. */
export interface TaskEntry {
  readonly index: number;
  readonly metrics: readonly string[];
  readonly trials: Map<string, TrialEntry>;
  trialCount: number;
}

/** What it keeps of all that is said of one trial. */
export interface TrialEntry {
  /** Rows in trials.jsonl. */
  rows: number;
  attempts: number;
  /** Trials that the ledger knows by this id: as many as first attempts. */
  firstAttempts: number;
  /** Scores by metric of its task, in their order. */
  readonly scores: number[];
}

export function entryOf(task: TaskEntry, trialId: string): TrialEntry {
  const known = task.trials.get(trialId);
  if (known !== undefined) return known;
  const scores = task.metrics.map(() => 0);
  const made: TrialEntry = { rows: 0, attempts: 0, firstAttempts: 0, scores };
  task.trials.set(trialId, made);
  return made;
}

/** Gives how many scores the trial has by this metric now. */
export function countScore({ scores }: TrialEntry, metric: number): number {
  const count = (scores[metric] ?? 0) + 1;
  scores[metric] = count;
  return count;
}
