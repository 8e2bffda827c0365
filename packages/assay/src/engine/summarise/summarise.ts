import type { TrialOrder } from "../../bundle/trial-order.ts";
import type { Aggregate, Summary } from "../../schema/summary.ts";
import { createSummaryAccumulator, type SummaryTrial } from "./accumulator.ts";
import type { SummaryScore } from "./score-table.ts";
import type { SummaryTask } from "./task-layout.ts";

type RowsOf<T> = AsyncIterable<T> | Iterable<T>;

export interface SummariseInput {
  /** In plan order. */
  readonly tasks: readonly SummaryTask[];
  readonly trials: RowsOf<SummaryTrial>;
  readonly scores: RowsOf<SummaryScore>;
  /** From the plan or ledger; without it, trials are ordered by their ids as people count. */
  readonly trialOrder?: TrialOrder;
  /** Those that `acceptRunnerAggregates` kept; appended as they are. */
  readonly runnerAggregates?: readonly Aggregate[];
}

/**
 * The summary of a run: a function of the set of rows. Any permutation of them gives the same bytes.
 * Reads each row once and keeps some tens of bytes of it; `taskMetricValues` is made as it is read, task by task.
 */
export async function summarise(input: SummariseInput): Promise<Summary> {
  const accumulator = createSummaryAccumulator(input.tasks, input.trialOrder ?? (() => null));
  for await (const trial of input.trials) accumulator.addTrial(trial);
  for await (const score of input.scores) accumulator.addScore(score);
  return accumulator.finish(input.runnerAggregates ?? []);
}
