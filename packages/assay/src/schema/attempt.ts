import { z } from "zod";

import { dataMap, name } from "./free-form.ts";
import { cost, tokens } from "./usage-fields.ts";

export const attemptCauses = [
  "ended",
  "timeout",
  "cancelled",
  "infrastructure",
  "error",
  "missing",
  "imported",
] as const;

/** What happened in one try at producing a trial. */
export const attemptRecordSchema = z.strictObject({
  taskId: name().describe("As in tasks.jsonl."),
  trialIndex: z.int().nonnegative().describe("Which repetition of the task."),
  trialId: name().describe("The trial it was made for."),
  attemptIndex: z.int().nonnegative().describe("Which try; the last one of a trial counts."),
  cause: z.enum(attemptCauses).describe("Why the attempt ended."),
  fault: z
    .enum(["none", "target", "infrastructure", "environment", "user"])
    .describe("Who is charged for an attempt that did not end well."),
  errorType: z.string().nullable().default(null).describe("`error.type` of what it ended with."),
  startedAt: z.string().describe("UTC."),
  queueMs: z
    .number()
    .nonnegative()
    .nullable()
    .default(null)
    .describe("Milliseconds between planned and started."),
  durationMs: z
    .number()
    .nonnegative()
    .nullable()
    .describe("Milliseconds, monotonic; null when nobody measured it."),
  phasesMs: dataMap(z.number().nonnegative())
    .default({})
    .describe("Milliseconds by phase: prepare, run, collect, ..."),
  requestedModel: z.string().nullable().default(null).describe("The model that was asked for."),
  servedModel: z
    .string()
    .nullable()
    .default(null)
    .describe("What the provider said it used; null when it did not say."),
  promptTokens: tokens().describe("Tokens sent to the model, cached ones included."),
  completionTokens: tokens().describe("Tokens the model wrote."),
  costUsd: cost(),
  cacheReadTokens: tokens().describe("The part of the prompt that came from the provider's cache."),
  imageDigest: z.string().nullable().default(null).describe("Content of the image that it ran in."),
  cacheHit: z
    .boolean()
    .nullable()
    .default(null)
    .describe("A cache answered; null where there is none."),
});

/** One row of `attempts.jsonl` as a producer gives it, before it is bound to a trial. */
export const attemptSchema = attemptRecordSchema.omit({
  taskId: true,
  trialIndex: true,
  trialId: true,
  attemptIndex: true,
});

export type AttemptCause = (typeof attemptCauses)[number];
export type AttemptRecord = Readonly<z.output<typeof attemptRecordSchema>>;
export type Attempt = Readonly<z.input<typeof attemptSchema>>;
