import { z } from "zod";

import { isPlainObject } from "../support/json.ts";
import { jsonObject, jsonValue, normalized } from "./free-form.ts";

// The Agent Trajectory Interchange Format, as far as it is read and written here. All objects are open: what a producer
// adds is passed over. A number that is none costs its field and not the trajectory.

const text = () => z.string().nullable().default(null);
const count = () => z.int().nonnegative().nullable().catch(null).default(null);
const amount = () => z.number().nullable().catch(null).default(null);
const numbers = () => z.array(z.number()).nullable().catch(null).default(null);
const extra = () => jsonValue().nullable().default(null).describe("The producer's own.");

const metricsOnly = (value: unknown) => (isPlainObject(value) ? value : null);

const contentPart = z.looseObject({ type: z.string(), text: text() });

const agent = z.looseObject({
  name: text(),
  version: text(),
  modelName: text().describe("The model of steps that name none."),
  toolDefinitions: jsonValue().nullable().default(null).describe("The tools it was given."),
  extra: extra(),
});

const toolCall = z.looseObject({
  toolCallId: text(),
  functionName: z.string().describe("Name of the tool."),
  arguments: jsonObject().nullable().default(null).describe("What it was called with."),
  extra: extra(),
});

const observationResult = z.looseObject({
  sourceCallId: text().describe("The call of the same step that it answers."),
  content: jsonValue().nullable().default(null).describe("A text or a list of parts."),
  extra: extra(),
});

const stepMetrics = z.looseObject({
  promptTokens: count().describe("Tokens sent to the model, cached ones included."),
  completionTokens: count().describe("Tokens the model wrote."),
  cachedTokens: count().describe("The part of the prompt that came from a cache."),
  costUsd: amount().describe("US dollars."),
  promptTokenIds: numbers(),
  completionTokenIds: numbers(),
  logprobs: numbers(),
  extra: extra(),
});

const atifStepSchema = z.looseObject({
  stepId: z.int().positive().nullable().default(null).describe("From 1 on, without a gap."),
  timestamp: text().describe("ISO 8601."),
  source: z.enum(["system", "user", "agent"]).describe("Whose step it is."),
  modelName: text(),
  reasoningEffort: z.union([z.string(), z.number()]).nullable().catch(null).default(null),
  message: z
    .union([z.string(), z.array(contentPart)])
    .nullable()
    .default("")
    .describe("A text or a list of parts."),
  reasoningContent: text(),
  toolCalls: z.array(toolCall).nullable().default(null),
  observation: z
    .looseObject({ results: z.array(observationResult).nullable().default(null) })
    .nullable()
    .default(null)
    .describe("What the tools answered."),
  metrics: normalized(metricsOnly, stepMetrics.nullable()).default(null),
  isCopiedContext: z.boolean().nullable().catch(null).default(null),
  llmCallCount: count(),
  extra: extra(),
});

const finalMetrics = z.looseObject({
  totalPromptTokens: count(),
  totalCompletionTokens: count(),
  totalCachedTokens: count(),
  totalCostUsd: amount(),
  totalSteps: count(),
  extra: extra(),
});

export const atifTrajectorySchema = z.looseObject({
  schemaVersion: z
    .string()
    .regex(/^ATIF-/, 'must begin with "ATIF-"')
    .describe("Begins with `ATIF-`, as in `ATIF-v1.7`."),
  sessionId: text().describe("Of the run of the agent."),
  trajectoryId: text().describe("Of this document."),
  agent: agent.nullable().default(null),
  steps: z.array(atifStepSchema).min(1, "needs at least one step"),
  notes: text(),
  finalMetrics: normalized(metricsOnly, finalMetrics.nullable())
    .default(null)
    .describe("Sums over the whole trajectory."),
  continuedTrajectoryRef: text().describe("Where it goes on, when this document is not all of it."),
  extra: extra(),
});

export type AtifTrajectory = z.output<typeof atifTrajectorySchema>;
export type AtifStep = z.output<typeof atifStepSchema>;
