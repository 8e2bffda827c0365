import { z } from "zod";

import { dataMap, jsonObject, name } from "./free-form.ts";

export const runnerKinds = ["runner", "model", "agent", "imported"] as const;

export const runnerInfoSchema = z.strictObject({
  name: name().describe("Curated, stable and short; never a class name."),
  kind: z
    .enum(runnerKinds)
    .default("runner")
    .describe("What it is; `imported` for trials that exist already."),
  version: z
    .string()
    .nullable()
    .default(null)
    .describe("Version of the tool behind the runner, when known."),
  config: jsonObject()
    .default({})
    .describe("Every setting that shapes results, as it took effect. No secrets."),
});

/** `metadata.json`. */
export const runMetadataSchema = z.strictObject({
  labels: dataMap(z.string())
    .default({})
    .describe("Labels that the caller gave, by name; they enter no digest."),
  target: runnerInfoSchema.nullable().default(null).describe("What was evaluated."),
  startedAt: z.string().describe("UTC."),
  finishedAt: z.string().describe("UTC."),
  durationSec: z.number().describe("Seconds from start to end, by a monotonic clock."),
  sdkVersion: z
    .string()
    .nullable()
    .default(null)
    .describe("Version of the SDK that wrote the bundle."),
});

export type RunnerKind = (typeof runnerKinds)[number];
export type RunnerInfo = Readonly<z.output<typeof runnerInfoSchema>>;
export type RunMetadata = Readonly<z.output<typeof runMetadataSchema>>;
