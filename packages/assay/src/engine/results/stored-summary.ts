import type { BundleReader } from "../../bundle/read-bundle.ts";
import type { Summary } from "../../schema/summary.ts";
import type { TaskRecord } from "../../schema/task.ts";
import { setOwn } from "../../support/json.ts";
import { summariseBundle } from "../summarise/summarise-bundle.ts";

/** The summary as it is stored; values by task, which the oldest ones lack, come from the rows. */
export async function storedSummary(reader: BundleReader): Promise<Summary> {
  if (reader.isOwn) return await summaryByTask(reader);
  const summary = await reader.summary();
  if (!reader.lacksTaskValues) return summary;
  const tasks: TaskRecord[] = [];
  for await (const task of reader.tasks()) tasks.push(task);
  const { taskMetricValues } = await summariseBundle(reader, tasks, []);
  return { ...summary, taskMetricValues };
}

/** The text is in memory one task at a time, and checked as it comes. */
async function summaryByTask(reader: BundleReader): Promise<Summary> {
  const taskMetricValues: Record<string, Summary["taskMetricValues"][string]> = {};
  const rest = await reader.summaryByTask((id, values) => setOwn(taskMetricValues, id, values));
  return { ...rest, taskMetricValues };
}
