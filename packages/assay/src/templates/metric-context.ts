import type { MetricInput, MetricTask } from "../contracts/metric.ts";
import { type JsonObject, type JsonValue, setOwn } from "../support/json.ts";

// The templates of a metric ask for the same input in turn. A WeakMap would cost the collector 30 µs for each input.
let last: { readonly input: MetricInput; readonly context: JsonObject } | null = null;

/**
 * What the templates of metrics see: the keys of the item, then those of the sample (which win), then `item` and
 * `sample` themselves. The item is the task and trial as data; the sample is the trial's metadata with `output_text`
 * and `response` where it has them.
 */
export function metricContext(input: MetricInput): JsonObject {
  if (last?.input === input) return last.context;
  const item = itemOf(input);
  const sample = sampleOf(input);
  // Key by key: spreading several objects into one takes ten times as long.
  const context: Record<string, JsonValue> = {
    task: item.task,
    inputs: item.inputs,
    reference: item.reference,
    trial: item.trial,
  };
  for (const key of Object.keys(sample)) setOwn(context, key, sample[key]);
  context["item"] = item;
  context["sample"] = sample;
  last = { input, context };
  return context;
}

/** What templates see before there is a trial: the task alone, at top level and as `item`. */
export function taskContext({ task, inputs, reference }: MetricTask): JsonObject {
  const item = {
    task: { id: task.id, intent: task.intent, metadata: task.metadata },
    inputs,
    reference,
  };
  return { ...item, item };
}

function itemOf({ row }: MetricInput) {
  const { id, taskId, status, error, metadata } = row.trial;
  return {
    task: { id: row.task.id, intent: row.task.intent, metadata: row.task.metadata },
    inputs: row.inputs,
    reference: row.reference,
    trial: { id, task_id: taskId, status, error, metadata },
  };
}

function sampleOf({ candidate }: MetricInput): JsonObject {
  const sample: Record<string, JsonValue> = {};
  const { metadata, outputText, response } = candidate;
  for (const key of Object.keys(metadata)) setOwn(sample, key, metadata[key]);
  if (outputText !== null) sample["output_text"] = outputText;
  if (response !== null) sample["response"] = response;
  return sample;
}
