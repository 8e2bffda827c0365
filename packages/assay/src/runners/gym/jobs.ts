import type { PlannedTask, TrialPlan } from "../../contracts/runner.ts";

/** Tasks with as many trials still to produce. */
export interface Job {
  readonly repeats: number;
  readonly tasks: readonly PlannedTask[];
  /** Part of the names of its files; empty for the only one. */
  readonly name: string;
}

/** Gym has one repeat count per job, so there is one job per count. */
export function jobsOf({ tasks }: TrialPlan): readonly Job[] {
  const byCount = new Map<number, PlannedTask[]>();
  for (const task of tasks) {
    const repeats = task.trialIndexes.length;
    if (repeats === 0) continue;
    const list = byCount.get(repeats) ?? [];
    list.push(task);
    byCount.set(repeats, list);
  }
  const counts = [...byCount].sort(([a], [b]) => a - b);
  return counts.map(([repeats, list]) => ({
    repeats,
    tasks: list,
    name: counts.length === 1 ? "" : `-${repeats}`,
  }));
}
