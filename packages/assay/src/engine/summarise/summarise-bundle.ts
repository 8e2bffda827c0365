import type { BundleReader } from "../../bundle/read-bundle.ts";
import { trialOrderOf } from "../../bundle/trial-order.ts";
import type { Aggregate, Summary } from "../../schema/summary.ts";
import type { TaskRecord } from "../../schema/task.ts";
import { summarise } from "./summarise.ts";

/** The summary of what a bundle's journal holds, in plan order. */
export async function summariseBundle(
  reader: BundleReader,
  tasks: readonly TaskRecord[],
  runnerAggregates: readonly Aggregate[],
): Promise<Summary> {
  return await summarise({
    tasks,
    trials: reader.trials(),
    scores: reader.scores(),
    trialOrder: await trialOrderOf(reader.attempts()),
    runnerAggregates,
  });
}
