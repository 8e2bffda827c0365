import { z } from "zod";

import { name } from "./free-form.ts";

/** One row of `evidence.jsonl`: a file that was imported through the write door. */
export const evidenceFileSchema = z.strictObject({
  path: name().describe("Relative to the bundle, with forward slashes."),
  trialId: name().describe("Whose evidence it is."),
  taskId: name().describe("The task of that trial."),
  sizeBytes: z.int().nonnegative().describe("As stored, after redaction and truncation."),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe("Of the bytes as stored."),
  mediaType: z.string().describe("By the name of the file."),
  redactions: z.int().nonnegative().describe("Secrets removed from it."),
  isExecutable: z.boolean().default(false).describe("Its owner may execute it."),
  isTruncated: z.boolean().describe("The source was larger than the limit."),
  isWithheld: z
    .boolean()
    .default(false)
    .describe("The source could not be stored safely; a note takes its place."),
});

export type EvidenceFile = Readonly<z.output<typeof evidenceFileSchema>>;
