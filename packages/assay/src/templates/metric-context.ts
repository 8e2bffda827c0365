import type { MetricInput } from "../contracts/metric.ts";
import type { JsonObject, JsonValue } from "../support/json.ts";

// All metrics of a trial get the same input object, so its context is made once.
const contexts = new WeakMap<MetricInput, JsonObject>();

/**
 * What the templates of metrics see: the keys of the item, then those of the sample (which win), then `item` and
 * `sample` themselves. The item is the task and trial as data; the sample is the trial's metadata with `output_text`
 * and `response` where it has them.
 */
export function metricContext(input: MetricInput): JsonObject {
  const known = contexts.get(input);
  if (known !== undefined) return known;
  const item = itemOf(input);
  const sample = sampleOf(input);
  const context: JsonObject = { ...item, ...sample, item, sample };
  contexts.set(input, context);
  return context;
}

function itemOf({ row }: MetricInput): JsonObject {
  const { id, taskId, status, error, metadata } = row.trial;
  return {
    task: { id: row.task.id, intent: row.task.intent, metadata: row.task.metadata },
    inputs: row.inputs,
    reference: row.reference,
    trial: { id, task_id: taskId, status, error, metadata },
  };
}

function sampleOf({ candidate }: MetricInput): JsonObject {
  const outputs: Record<string, JsonValue> = {};
  if (candidate.outputText !== null) outputs["output_text"] = candidate.outputText;
  if (candidate.response !== null) outputs["response"] = candidate.response;
  return { ...candidate.metadata, ...outputs };
}
