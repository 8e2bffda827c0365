import { z } from "zod";

import { jsonObject, stringMap } from "../../../schema/free-form.ts";
import { trialErrorTypes } from "../../../schema/trial.ts";

/** What the agent's process is told of the attempt. */
export const orderSchema = z.strictObject({
  task: z.strictObject({ id: z.string(), inputs: jsonObject() }),
  workspace: z.string(),
  trialIndex: z.int(),
  attemptIndex: z.int(),
  secrets: stringMap(),
});

export type AttemptOrder = z.output<typeof orderSchema>;

/** How the agent ended. */
const endSchemas = [
  z.strictObject({ type: z.literal("reply"), draft: jsonObject() }),
  z.strictObject({
    type: z.literal("threw"),
    message: z.string(),
    traceback: z.string().nullable(),
  }),
  /** What it threw is not its doing. */
  z.strictObject({ type: z.literal("fault"), code: z.string(), message: z.string() }),
  /** The trial cannot be produced. */
  z.strictObject({
    type: z.literal("failed"),
    errorType: z.enum(trialErrorTypes),
    message: z.string(),
  }),
  /** Its reply is more than can be handed over. */
  z.strictObject({ type: z.literal("too_large") }),
  /** Nothing is left to wait for. */
  z.strictObject({ type: z.literal("stalled") }),
] as const;

/** What the process tells, message by message. */
export const messageSchema = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("step"), step: jsonObject() }),
  z.strictObject({ type: z.literal("usage"), usage: jsonObject() }),
  z.strictObject({ type: z.literal("evidence"), name: z.string(), descriptor: jsonObject() }),
  z.strictObject({
    type: z.literal("log"),
    level: z.enum(["debug", "info", "warn", "error"]),
    message: z.string(),
    data: jsonObject().optional(),
  }),
  ...endSchemas,
]);

export type AgentMessage = z.output<typeof messageSchema>;
export type AgentEnd = z.output<(typeof endSchemas)[number]>;
