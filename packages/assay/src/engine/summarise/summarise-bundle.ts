import type { BundleReader } from "../../bundle/read-bundle.ts";
import { TrialOrderBook } from "../../bundle/trial-order.ts";
import type { Aggregate, Summary } from "../../schema/summary.ts";
import type { TaskRecord } from "../../schema/task.ts";
import { createSummaryAccumulator } from "./accumulator.ts";

/** The summary of what a bundle's journal holds, in plan order. */
export async function summariseBundle(
  reader: BundleReader,
  tasks: readonly TaskRecord[],
  runnerAggregates: readonly Aggregate[],
): Promise<Summary> {
  const order = new TrialOrderBook();
  await reader.eachRow("attempts", (attempt) => order.add(attempt));
  const accumulator = createSummaryAccumulator(tasks, order.orderOf);
  await reader.eachRow("trials", accumulator.addTrial);
  await reader.eachRow("scores", accumulator.addScore);
  return accumulator.finish(runnerAggregates);
}
