import type { Metric, MetricOutputKind } from "../../contracts/metric.ts";
import type { Task } from "../../contracts/task.ts";
import type { MetricDescriptor, TaskRecord } from "../../schema/task.ts";

const valueSchemas: Record<Exclude<MetricOutputKind, "model">, string> = {
  continuous: "ContinuousScore",
  discrete: "DiscreteScore",
  boolean: "BooleanValue",
  label: "Label",
};

/** The rows of `tasks.jsonl`: live metrics become descriptors, one list for all tasks that share theirs. */
export function taskRecordsOf(tasks: readonly Task[]): readonly TaskRecord[] {
  const lists = new Map<readonly Metric[], MetricDescriptor[]>();
  return tasks.map((task) => {
    const known = lists.get(task.metrics);
    const metrics = known ?? task.metrics.map(descriptorOf);
    if (known === undefined) lists.set(task.metrics, metrics);
    return { ...task, metrics };
  });
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
