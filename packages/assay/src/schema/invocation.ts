import { z } from "zod";

import { environmentSchema } from "./environment.ts";
import { fact } from "./fact.ts";
import { dataMap, name } from "./free-form.ts";

const earlierWriter = { unknown: "an earlier version of Assay did not record it" };

/** One start of a run, and how it ended. */
export const invocationSchema = z.strictObject({
  id: fact(name()).default(earlierWriter).describe("Of this start alone."),
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
  resumedFromId: z
    .string()
    .nullable()
    .default(null)
    .describe("Id of the start that this one went on with, sealed or not."),
  accepted: z
    .array(z.string())
    .default([])
    .describe("Differences from the plan that were accepted: drift, more trials, more tasks."),
  digests: fact(
    z.strictObject({
      settings: z.string().describe("What was asked of the target."),
      resolved: z.string().describe("What that turned out to mean."),
      plan: z.string().describe("What was to be done."),
    }),
  )
    .default(earlierWriter)
    .describe("What it was asked to do, and what that meant then and there."),
  toolVersion: fact(z.string()).default(earlierWriter).describe("Of the tool behind the runner."),
  environment: fact(environmentSchema)
    .default(earlierWriter)
    .describe("What it ran with and on: starts of one run may differ."),
  redactions: fact(dataMap(z.int().nonnegative()))
    .default(earlierWriter)
    .describe("What it removed, by rule; not known of one that was killed."),
});

export type Invocation = Readonly<z.output<typeof invocationSchema>>;
