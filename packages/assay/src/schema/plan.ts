import { z } from "zod";

import { optionOrigins } from "../support/options.ts";
import { dataMap, jsonObject, name, stringMap } from "./free-form.ts";
import { runnerInfoSchema } from "./run-metadata.ts";

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
  resolvedDigest: z.string().describe("The settings, and what they turned out to mean here."),
  codeDigest: z.string().nullable().describe("Null when a program built the suite."),
  contentDigest: z.string().nullable().describe("Of seeds and held-out files; null without any."),
  target: runnerInfoSchema
    .extend({
      origins: dataMap(z.enum(optionOrigins)).describe("Where the value of each option came from."),
      shaping: jsonObject().describe("The options that shape results."),
      resolved: jsonObject().describe("What the probe found that has content."),
    })
    .describe("What was to be evaluated."),
  codeFiles: z
    .array(z.strictObject({ path: name(), sha256: z.string() }))
    .nullable()
    .describe("Paths relative to the suite; null when a program built it."),
  lockfileSha256: z.string().nullable(),
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
