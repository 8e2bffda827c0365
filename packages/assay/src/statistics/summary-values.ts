import type { Aggregate, Summary, TaskMetricValue } from "../schema/summary.ts";
import { compareText } from "../support/natural-order.ts";

/** The one figure to show of an aggregate: the mean, or the value that a backend reported. */
export function headlineValue(aggregate: Aggregate): number | null {
  return aggregate.scoreType === "scalar" ? aggregate.value : aggregate.mean;
}

/** All values of one output on one task, in trial order. */
export interface TaskOutcome {
  readonly taskId: string;
  /** `<metric>.<output>` */
  readonly metric: string;
  readonly values: readonly TaskMetricValue[];
}

/**
 * Per-task values by task, then metric. With a name, only that metric, on the tasks that declare it; a task that
 * declares it and has no value yet gives an empty list.
 */
export function* taskOutcomes(summary: Summary, metric?: string): Generator<TaskOutcome> {
  for (const taskId of Object.keys(summary.taskMetricValues).sort(compareText)) {
    const byMetric = summary.taskMetricValues[taskId] ?? {};
    for (const name of Object.keys(byMetric).sort(compareText)) {
      if (metric !== undefined && name !== metric) continue;
      yield { taskId, metric: name, values: byMetric[name] ?? [] };
    }
  }
}

const nonFinite = { NaN: Number.NaN, Infinity: Infinity, "-Infinity": -Infinity };

/** The number that strict JSON had to store as a string, or null for any other text. */
export function decodeNonFinite(text: string): number | null {
  return Object.hasOwn(nonFinite, text) ? nonFinite[text as keyof typeof nonFinite] : null;
}

/** Values as they are: numbers, booleans, labels, null for a missing one. */
export function metricValues(
  records: readonly TaskMetricValue[],
): (number | boolean | string | null)[] {
  return records.map(({ value, valueType }) =>
    typeof value === "string" && valueType === "number" ? decodeNonFinite(value) : value,
  );
}

/** Values as numbers: booleans as 0 and 1, null for a missing one, labels left out. */
export function numericMetricValues(records: readonly TaskMetricValue[]): (number | null)[] {
  return metricValues(records.filter(({ valueType }) => valueType !== "label")).map((value) =>
    value === null ? null : Number(value),
  );
}
