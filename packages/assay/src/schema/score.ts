import { z } from "zod";

import { jsonObject, jsonValue, name } from "./free-form.ts";
import { trialStatuses } from "./trial.ts";

export const scoreOutputSchema = z.strictObject({
  name: name().describe("As the metric declares it."),
  value: jsonValue().describe(
    "Number, boolean, label or object, as the output was declared; non-finite numbers as strings.",
  ),
});

export const diagnosticSchema = z.strictObject({
  severity: z
    .enum(["error", "warning", "info"])
    .describe("An error explains why there is no score."),
  message: z.string().describe("For people."),
  source: z.string().nullable().default(null).describe("Type of the metric that said it."),
  details: jsonObject()
    .default({})
    .describe(
      "`trial_status`, `exception_type` or `unscored_reason` tell the kinds of failed score apart.",
    ),
});

/** One row of `scores.jsonl`. */
export const scoreRecordSchema = z.strictObject({
  id: z.string().describe("`<run>:<task>:<trial>:<metric>`."),
  runId: z.string().describe("The run that scored."),
  taskId: name().describe("As in tasks.jsonl."),
  trialId: name().describe("As in trials.jsonl."),
  metricType: name().describe("Which metric of the task."),
  status: z
    .enum(trialStatuses)
    .describe(
      "completed: has outputs; failed: has none, and a diagnostic says which kind of none.",
    ),
  outputs: z
    .array(scoreOutputSchema)
    .default([])
    .describe("What it gave, by the names it declares."),
  diagnostics: z
    .array(diagnosticSchema)
    .default([])
    .describe("What it said besides, or why it gave nothing."),
  metadata: jsonObject()
    .default({})
    .describe("`row_index` of the task and a copy of the trial's metadata."),
});

export type ScoreOutput = Readonly<z.output<typeof scoreOutputSchema>>;
export type Diagnostic = Readonly<z.output<typeof diagnosticSchema>>;
export type ScoreRecord = Readonly<z.output<typeof scoreRecordSchema>>;
