import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { z } from "zod";

import { manifestSchema } from "../../packages/assay/src/schema/manifest.ts";
import { runMetadataSchema } from "../../packages/assay/src/schema/run-metadata.ts";
import { scoreRecordSchema } from "../../packages/assay/src/schema/score.ts";
import { summarySchema } from "../../packages/assay/src/schema/summary.ts";
import { taskRecordSchema } from "../../packages/assay/src/schema/task.ts";
import { trialRecordSchema } from "../../packages/assay/src/schema/trial.ts";
import { repoRoot } from "../support/tools.ts";

export interface GoldenRow {
  readonly place: string;
  readonly schema: z.ZodType;
  readonly wire: unknown;
}

const schemas: Readonly<Record<string, z.ZodType>> = {
  "metadata.json": runMetadataSchema,
  "tasks.jsonl": taskRecordSchema,
  "trials.jsonl": trialRecordSchema,
  "scores.jsonl": scoreRecordSchema,
  "summary.json": summarySchema,
  "run.json": manifestSchema,
  "hard-tasks.jsonl": taskRecordSchema,
  "hard-trials.jsonl": trialRecordSchema,
  "hard-scores.jsonl": scoreRecordSchema,
  "hard-summary.json": summarySchema,
};

/** Every row of the golden files with the schema that reads it. */
export const goldenRows: readonly GoldenRow[] = Object.entries(schemas).flatMap(
  ([file, schema]) => {
    const text = readFileSync(join(repoRoot, "test/schema/golden", file), "utf8");
    const documents = file.endsWith(".jsonl") ? text.trimEnd().split("\n") : [text];
    return documents.map((document, index) => ({
      place: documents.length === 1 ? file : `${file}:${index + 1}`,
      schema,
      wire: JSON.parse(document) as unknown,
    }));
  },
);
