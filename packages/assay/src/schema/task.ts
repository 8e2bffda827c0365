import { z } from "zod";

import { dataMap, jsonObject, name } from "./free-form.ts";

export const reducers = ["single", "all", "any", "mean", "weighted_mean"] as const;

const viewSignalSchema = z.strictObject({
  metric: name().describe("Type of a metric of this task."),
  output: name().describe("Name of one of that metric's outputs."),
  weight: z.number().nullable().default(null).describe("For weighted_mean; missing counts as 1."),
});

export const semanticViewSchema = z.strictObject({
  reducer: z.enum(reducers).describe("How the signals become one value."),
  signals: z.array(viewSignalSchema).min(1).describe("The outputs that are reduced."),
});

/** The part of a task that is data: what users write, without its metrics. */
export const taskFieldsSchema = z.strictObject({
  id: name().describe("Unique in the suite."),
  intent: z.string().describe("The wanted behaviour, for graders. It never reaches the agent."),
  inputs: jsonObject().describe(
    "What the agent gets: `instruction`, `files`, and keys of your own.",
  ),
  reference: jsonObject().default({}).describe("Ground truth, for graders only."),
  views: dataMap(semanticViewSchema)
    .default({})
    .describe("Named reductions of several metric outputs."),
  metadata: jsonObject().default({}).describe("Facts about the task. It never reaches the agent."),
});

const metricOutputRecordSchema = z.strictObject({
  name: name().describe("As scores name it."),
  description: z.string().nullable().default(null).describe("For people."),
  valueSchema: z
    .string()
    .describe("ContinuousScore, DiscreteScore, BooleanValue, Label, or the name of a model."),
});

export const metricDescriptorSchema = z.strictObject({
  type: name().describe("Name of the metric."),
  outputs: z.array(metricOutputRecordSchema).min(1).describe("What it gives for each trial."),
});

/** One row of `tasks.jsonl`: metrics are descriptors, not configuration. */
export const taskRecordSchema = taskFieldsSchema.extend({
  metrics: z
    .array(metricDescriptorSchema)
    .default([])
    .describe("The metrics that score its trials."),
});

export type Reducer = (typeof reducers)[number];
export type SemanticView = Readonly<z.output<typeof semanticViewSchema>>;
export type TaskFields = Readonly<z.output<typeof taskFieldsSchema>>;
export type TaskRecord = Readonly<z.output<typeof taskRecordSchema>>;
export type MetricDescriptor = Readonly<z.output<typeof metricDescriptorSchema>>;
