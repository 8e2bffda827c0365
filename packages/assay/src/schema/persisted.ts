import type { z } from "zod";

import { AssayError } from "../errors/assay-error.ts";
import { didYouMean } from "../support/names.ts";
import { attemptRecordSchema } from "./attempt.ts";
import { envelopeSchema } from "./envelope.ts";
import { evidenceFileSchema } from "./evidence-file.ts";
import { wireJsonSchema } from "./json-schema.ts";
import { manifestSchema } from "./manifest.ts";
import { planRecordSchema } from "./plan.ts";
import { provenanceStatementSchema } from "./provenance.ts";
import { runMetadataSchema, runnerInfoSchema } from "./run-metadata.ts";
import { scoreRecordSchema } from "./score.ts";
import { suiteSpecSchema } from "./suite.ts";
import { summarySchema } from "./summary.ts";
import { taskRecordSchema } from "./task.ts";
import { trialRecordSchema } from "./trial.ts";

/** Everything that is persisted or written by users, by the name `assay schema` takes. */
const persisted: Readonly<Record<string, z.ZodType>> = {
  suite: suiteSpecSchema,
  manifest: manifestSchema,
  plan: planRecordSchema,
  metadata: runMetadataSchema,
  target: runnerInfoSchema,
  task: taskRecordSchema,
  trial: trialRecordSchema,
  score: scoreRecordSchema,
  summary: summarySchema,
  attempt: attemptRecordSchema,
  evidence: evidenceFileSchema,
  provenance: provenanceStatementSchema,
  envelope: envelopeSchema,
};

export const schemaNames: readonly string[] = Object.keys(persisted);

/**
 * The JSON Schema of one persisted form. Throws `ASSAY_NAME_UNKNOWN` with a suggestion, which may be one of the names
 * that the caller knows besides.
 */
export function wireSchemaOf(
  name: string,
  otherNames: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  const schema = Object.hasOwn(persisted, name) ? persisted[name] : undefined;
  if (schema !== undefined) return wireJsonSchema(schema);
  const known = [...schemaNames, ...otherNames];
  throw new AssayError(
    "ASSAY_NAME_UNKNOWN",
    `there is no schema "${name}"${didYouMean(name, known)}; known: ${known.join(", ")}`,
  );
}
