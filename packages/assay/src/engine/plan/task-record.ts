import type { Metric, MetricOutputKind } from "../../contracts/metric.ts";
import type { Task } from "../../contracts/task.ts";
import type { MetricDescriptor, TaskRecord } from "../../schema/task.ts";

const valueSchemas: Record<Exclude<MetricOutputKind, "model">, string> = {
  continuous: "ContinuousScore",
  discrete: "DiscreteScore",
  boolean: "BooleanValue",
  label: "Label",
};

/** The row of `tasks.jsonl`: live metrics become descriptors. */
export function taskRecordOf({ metrics, ...fields }: Task): TaskRecord {
  return { ...fields, metrics: metrics.map(descriptorOf) };
}

function descriptorOf({ type, outputs }: Metric): MetricDescriptor {
  return {
    type,
    outputs: outputs.map(({ name, description, kind, model }) => ({
      name,
      description,
      valueSchema: kind === "model" ? (model?.name ?? "Model") : valueSchemas[kind],
    })),
  };
}
