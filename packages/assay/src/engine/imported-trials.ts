import type { RunContext, Trial, TrialPlan } from "../contracts/runner.ts";
import type { Aggregate } from "../schema/summary.ts";
import type { TrialRecord } from "../schema/trial.ts";

/** Trials that exist already. */
export interface ImportedTrials {
  /** By task id; a task without a trial is not among them. */
  readonly byTask: ReadonlyMap<string, CountedTrials>;
  /** Figures that came with them. */
  readonly aggregates: readonly Aggregate[];
  /** Those of the plan, and others that are passed over. */
  read(plan: TrialPlan, context: RunContext): AsyncIterable<Trial>;
}

export interface CountedTrials {
  readonly count: number;
  /** To name one in a message; null where ids are known only when the trials are read. */
  readonly firstId: string | null;
}

/** Trials in memory. Their order within a task is their trial index. */
export function heldTrials(trials: readonly TrialRecord[]): ImportedTrials {
  const held = new Map<string, TrialRecord[]>();
  for (const trial of trials) {
    const list = held.get(trial.taskId);
    if (list === undefined) held.set(trial.taskId, [trial]);
    else list.push(trial);
  }
  return {
    byTask: new Map(
      [...held].map(([id, list]) => [id, { count: list.length, firstId: list[0]?.id ?? null }]),
    ),
    aggregates: [],
    async *read({ tasks }) {
      for (const { task, trialIndexes } of tasks) {
        const list = held.get(task.id) ?? [];
        for (const trialIndex of trialIndexes) {
          const trial = list[trialIndex];
          if (trial !== undefined) yield { ...trial, trialIndex };
        }
      }
    },
  };
}
