import { z } from "zod";

import { jsonObject, jsonValue, name } from "./free-form.ts";
import { trialStatuses } from "./trial.ts";

export const scoreOutputSchema = z.strictObject({
  name: name(),
  value: jsonValue().describe(
    "Number, boolean, label or object, as the output was declared; non-finite numbers as strings.",
  ),
});

export const diagnosticSchema = z.strictObject({
  severity: z.enum(["error", "warning", "info"]),
  message: z.string(),
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
  runId: z.string(),
  taskId: name(),
  trialId: name(),
  metricType: name(),
  status: z
    .enum(trialStatuses)
    .describe(
      "completed: has outputs; failed: has none, and a diagnostic says which kind of none.",
    ),
  outputs: z.array(scoreOutputSchema).default([]),
  diagnostics: z.array(diagnosticSchema).default([]),
  metadata: jsonObject()
    .default({})
    .describe("`row_index` of the task and a copy of the trial's metadata."),
});

export type ScoreOutput = Readonly<z.output<typeof scoreOutputSchema>>;
export type Diagnostic = Readonly<z.output<typeof diagnosticSchema>>;
export type ScoreRecord = Readonly<z.output<typeof scoreRecordSchema>>;
