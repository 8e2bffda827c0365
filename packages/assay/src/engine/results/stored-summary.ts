import type { BundleReader } from "../../bundle/read-bundle.ts";
import type { Summary } from "../../schema/summary.ts";
import type { TaskRecord } from "../../schema/task.ts";
import { summariseBundle } from "../summarise/summarise-bundle.ts";

/** The summary as it is stored; values by task, which the oldest ones lack, come from the rows. */
export async function storedSummary(reader: BundleReader): Promise<Summary> {
  const summary = await reader.summary();
  if (!reader.lacksTaskValues) return summary;
  const tasks: TaskRecord[] = [];
  for await (const task of reader.tasks()) tasks.push(task);
  const { taskMetricValues } = await summariseBundle(reader, tasks, []);
  return { ...summary, taskMetricValues };
}
