import type { Summary } from "../../schema/summary.ts";
import type { TaskRecord } from "../../schema/task.ts";
import { passThreshold } from "../../statistics/pass-at-k.ts";
import { metricValues, numericMetricValues } from "../../statistics/summary-values.ts";
import type { JsonValue } from "../../support/json.ts";
import { compareText } from "../../support/natural-order.ts";

type PlannedTask = Pick<TaskRecord, "id" | "metrics">;
type TaskValues = Summary["taskMetricValues"][string];
type MetricDescriptor = PlannedTask["metrics"][number];

/** How a task went, as the summary tells it. */
export interface TaskOutcome {
  /** Trials with a value below full credit, or without one because they could not be produced; in trial order. */
  readonly belowFull: readonly string[];
  /** Mean of the headline figures that are numbers; null when there is none. */
  readonly mean: number | null;
  readonly headlines: readonly Headline[];
}

/** The one output of a metric that stands for it: the first that can pass, else the first. */
export interface Headline {
  readonly metric: string;
  readonly output: string;
  /** Mean of its values, booleans as 0 and 1; of labels the most frequent one; null when it has none. */
  readonly value: JsonValue;
  /** The summary keeps values of this output, but has none of this task. */
  readonly isMissing: boolean;
}

export function taskOutcomeOf({ metrics }: PlannedTask, values: TaskValues): TaskOutcome {
  const belowFull = new Set<string>();
  const headlines: Headline[] = [];
  for (const metric of metrics) {
    for (const { name } of metric.outputs.filter(canPass)) {
      for (const id of idsBelowFull(valuesOf(values, metric.type, name))) belowFull.add(id);
    }
    const output = (metric.outputs.find(canPass) ?? metric.outputs[0])?.name ?? "";
    const value = headlineOf(valuesOf(values, metric.type, output));
    const isMissing = value === null && Object.hasOwn(values, `${metric.type}.${output}`);
    headlines.push({ metric: metric.type, output, value, isMissing });
  }
  const figures = headlines.flatMap(({ value }) => (typeof value === "number" ? [value] : []));
  return { belowFull: [...belowFull], mean: meanOf(figures), headlines };
}

/** Outputs that pass@k is given for. */
export function canPass({ valueSchema }: MetricDescriptor["outputs"][number]): boolean {
  return valueSchema === "ContinuousScore" || valueSchema === "BooleanValue";
}

function valuesOf(values: TaskValues, metric: string, output: string): TaskValues[string] {
  const name = `${metric}.${output}`;
  return Object.hasOwn(values, name) ? (values[name] ?? []) : [];
}

function* idsBelowFull(records: TaskValues[string]): Generator<string> {
  const numbers = records.filter(({ valueType }) => valueType !== "label");
  for (const [index, value] of numericMetricValues(numbers).entries()) {
    const isFull = value !== null && value >= passThreshold;
    if (!isFull) yield numbers[index]?.trialId ?? "";
  }
}

function headlineOf(records: TaskValues[string]): JsonValue {
  const numbers = numericMetricValues(records).filter(
    (value): value is number => value !== null && Number.isFinite(value),
  );
  return meanOf(numbers) ?? mostFrequent(records);
}

function meanOf(numbers: readonly number[]): number | null {
  if (numbers.length === 0) return null;
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

function mostFrequent(records: TaskValues[string]): string | null {
  const counts = new Map<string, number>();
  for (const label of metricValues(records)) {
    if (typeof label === "string") counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  const [first] = [...counts].sort(([a, m], [b, n]) => n - m || compareText(a, b));
  return first?.[0] ?? null;
}
