import { z } from "zod";

import { evidenceSetSchema, normalizeEvidenceSet } from "./evidence.ts";
import { jsonObject, jsonValue, name, normalized } from "./free-form.ts";
import { cost, tokens } from "./usage-fields.ts";

export const trialStatuses = ["completed", "failed", "partial"] as const;

/** Every `error.type` that Assay itself writes. Imported trials keep the types of their producer. */
export const trialErrorTypes = [
  "AgentError",
  "AgentExitError",
  "AgentRefused",
  "BlankReply",
  "ConnectionError",
  "InvalidReturn",
  "MissingCredential",
  "MissingInstruction",
  "MissingReward",
  "MissingTrial",
  "OutputTooLarge",
  "OutputUnreadable",
  "ProcessSpawnError",
  "RateLimited",
  "RunnerError",
  "TimeoutError",
  "UnknownException",
  "UnsafeFolder",
  "WorkspaceSeedError",
] as const;

export const agentOutputSchema = z.strictObject({
  outputText: z.string().nullable().default(null).describe("What the agent said last."),
  response: jsonValue()
    .nullable()
    .default(null)
    .describe("A structured reply, as the agent or endpoint gave it."),
  metadata: jsonObject().default({}).describe("Facts of the runner about this output."),
});

export const trialErrorSchema = z.strictObject({
  type: z
    .string()
    .regex(/\S/, "must not be blank")
    .describe("Short stable name of the kind of failure."),
  message: z.string().nullable().default(null).describe("What happened, for people."),
  traceback: z.string().nullable().default(null).describe("Where in the code it was thrown."),
  occurredAt: z
    .string()
    .nullable()
    .default(null)
    .describe("When, exactly as its producer wrote it; a missing zone stays missing."),
});

export const measurementsSchema = z.strictObject({
  promptTokens: tokens().describe("Tokens sent to the model, cached ones included."),
  completionTokens: tokens().describe("Tokens the model wrote."),
  totalTokens: tokens().describe("Both together, as the producer counts them."),
  cacheCreationTokens: tokens().describe(
    "The part of the prompt that went into the provider's cache.",
  ),
  cacheReadTokens: tokens().describe("The part of the prompt that came from the provider's cache."),
  runtimeSec: z.number().nullable().default(null).describe("Seconds the agent ran."),
  costUsd: cost(),
});

/** One row of `trials.jsonl`. */
export const trialRecordSchema = z
  .strictObject({
    id: name().describe("Unique in its task."),
    taskId: name().describe("As in tasks.jsonl."),
    status: z
      .enum(trialStatuses)
      .describe(
        "completed: ran and ended well; partial: ran but did not end well, scored all the same; failed: could not be produced.",
      ),
    output: agentOutputSchema
      .nullable()
      .default(null)
      .describe("What the agent gave; null when there is nothing."),
    evidence: normalized(normalizeEvidenceSet, evidenceSetSchema.nullable())
      .default(null)
      .describe("What the trial left behind; null when nothing."),
    error: trialErrorSchema
      .nullable()
      .default(null)
      .describe("What kept it from ending well; null when nothing did."),
    measurements: measurementsSchema
      .default(() => measurementsSchema.parse({}))
      .describe("Tokens, time and cost; null for what nobody told."),
    metadata: jsonObject().default({}).describe("Facts of the runner about the trial."),
  })
  .refine((trial) => trial.status !== "completed" || trial.output !== null, {
    message: "a completed trial needs an output",
    path: ["output"],
  })
  .meta({
    anyOf: [
      { properties: { status: { not: { const: "completed" } } } },
      { required: ["output"], properties: { output: { type: "object" } } },
    ],
  });

export type TrialStatus = (typeof trialStatuses)[number];
export type TrialErrorType = (typeof trialErrorTypes)[number];
export type AgentOutput = Readonly<z.output<typeof agentOutputSchema>>;
export type TrialError = Readonly<z.output<typeof trialErrorSchema>>;
export type Measurements = Readonly<z.output<typeof measurementsSchema>>;
export type TrialRecord = Readonly<z.output<typeof trialRecordSchema>>;
export type TrialRecordInput = z.input<typeof trialRecordSchema>;
