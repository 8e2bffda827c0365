import { z } from "zod";

import { optionOrigins } from "../support/options.ts";
import { dataMap, jsonObject, name, stringMap } from "./free-form.ts";
import { runnerInfoSchema } from "./run-metadata.ts";

const planFormatVersion = 1;

/** `plan.json`: what was to be done, written and synced before the first trial. */
export const planRecordSchema = z.strictObject({
  planVersion: z.literal(planFormatVersion).describe("Version of this form."),
  runId: name().describe("Which run this is the plan of."),
  suiteName: name().describe("What the suite calls itself."),
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
    .array(
      z.strictObject({
        path: name().describe("With forward slashes."),
        sha256: z.string().describe("Of its bytes."),
      }),
    )
    .nullable()
    .describe("Paths relative to the suite; null when a program built it."),
  lockfileSha256: z
    .string()
    .nullable()
    .describe("Of the nearest lockfile at or above the suite; null without one."),
  trialsPerTask: z
    .int()
    .positive()
    .describe("Repetitions of each task; the most there are where trials are imported."),
  tasks: z
    .array(
      z.strictObject({
        id: name().describe("As in tasks.jsonl."),
        digest: z.string().describe("Of the whole task."),
      }),
    )
    .describe("The selected tasks in order."),
  metrics: dataMap(
    z.strictObject({
      digest: z.string().describe("Of its settings, outputs and version."),
      version: z.string().nullable().default(null).describe("What the metric says of itself."),
      config: jsonObject().describe("Its settings."),
    }),
  ).describe("Each metric that is used, by its config digest."),
  selection: z
    .strictObject({
      taskIds: z.array(z.string()).nullable().describe("Those asked for by id; null: all."),
      limit: z.int().positive().nullable().describe("Only so many tasks, from the first on."),
    })
    .describe("Which tasks of the suite were taken."),
  parameters: stringMap().describe("Parameters of the suite (-P)."),
  labels: dataMap(z.string()).describe("Tags of the run; they enter no digest."),
  engine: z
    .strictObject({
      concurrency: z.int().positive().describe("Trials at once."),
      scoringConcurrency: z.int().positive().describe("Metrics at once."),
      failFast: z.boolean().describe("Whether the first metric that fails ends the run."),
    })
    .describe("How the engine was to work; it shapes no result."),
});

export type PlanRecord = Readonly<z.output<typeof planRecordSchema>>;
