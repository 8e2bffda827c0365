import type { TrialOrder } from "../../../packages/assay/src/bundle/trial-order.ts";
import {
  createSummaryAccumulator,
  type SummaryTrial,
} from "../../../packages/assay/src/engine/summarise/accumulator.ts";
import type { SummaryScore } from "../../../packages/assay/src/engine/summarise/score-table.ts";
import type { SummaryTask } from "../../../packages/assay/src/engine/summarise/task-layout.ts";
import type { Aggregate, Summary } from "../../../packages/assay/src/schema/summary.ts";

export interface SummariseInput {
  /** In plan order. */
  readonly tasks: readonly SummaryTask[];
  readonly trials: readonly SummaryTrial[];
  readonly scores: readonly SummaryScore[];
  /** From the plan or ledger; without it, trials are ordered by their ids as people count. */
  readonly trialOrder?: TrialOrder;
  /** Those that `acceptRunnerAggregates` kept; appended as they are. */
  readonly runnerAggregates?: readonly Aggregate[];
}

/** The summary of rows, in the order in which they are given. */
export async function summarise(input: SummariseInput): Promise<Summary> {
  const accumulator = createSummaryAccumulator(input.tasks, input.trialOrder ?? (() => null));
  for (const trial of input.trials) accumulator.addTrial(trial);
  for (const score of input.scores) accumulator.addScore(score);
  return accumulator.finish(input.runnerAggregates ?? []);
}
