import { z } from "zod";

import { dataMap, jsonObject, name, stringMap } from "./free-form.ts";

const planFormatVersion = 1;

/** `plan.json`: what was to be done, written and synced before the first trial. */
export const planRecordSchema = z.strictObject({
  planVersion: z.literal(planFormatVersion),
  runId: name(),
  suiteName: name(),
  planDigest: z
    .string()
    .describe("Settings, selected tasks, trials per task and metrics in one digest."),
  settingsDigest: z.string().describe("The settings of the target that shape results."),
  trialsPerTask: z.int().positive(),
  tasks: z
    .array(z.strictObject({ id: name(), digest: z.string() }))
    .describe("The selected tasks in order."),
  metrics: dataMap(
    z.strictObject({
      digest: z.string(),
      version: z.string().nullable().default(null),
      config: jsonObject(),
    }),
  ).describe("Each metric that is used, by its config digest."),
  selection: z.strictObject({
    taskIds: z.array(z.string()).nullable(),
    limit: z.int().positive().nullable(),
  }),
  parameters: stringMap().describe("Parameters of the suite (-P)."),
  labels: dataMap(z.string()),
  engine: z.strictObject({
    concurrency: z.int().positive(),
    scoringConcurrency: z.int().positive(),
    failFast: z.boolean(),
  }),
});

export type PlanRecord = Readonly<z.output<typeof planRecordSchema>>;
