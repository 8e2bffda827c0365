import { z } from "zod";

import { fact } from "./fact.ts";

/** One start of a run, and how it ended. */
export const invocationSchema = z.strictObject({
  command: fact(z.array(z.string())).describe("How it was started, word by word."),
  startedAt: z.string().describe("UTC."),
  finishedAt: fact(z.string()).describe("UTC; not known of one that was killed."),
  durationMs: fact(z.number().nonnegative()).describe("Milliseconds, monotonic."),
  cause: z.string().describe("Why it ended."),
  resumedFrom: z
    .string()
    .nullable()
    .default(null)
    .describe("Digest of the bundle that an earlier one had sealed and this one went on with."),
  accepted: z
    .array(z.string())
    .default([])
    .describe("Differences from the plan that were accepted: drift, more trials, more tasks."),
});

export type Invocation = Readonly<z.output<typeof invocationSchema>>;
