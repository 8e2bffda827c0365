import type { z } from "zod";

import { type AttemptRecord, attemptRecordSchema } from "../schema/attempt.ts";
import { type EvidenceFile, evidenceFileSchema } from "../schema/evidence-file.ts";
import { type ScoreRecord, scoreRecordSchema } from "../schema/score.ts";
import { type TaskRecord, taskRecordSchema } from "../schema/task.ts";
import { type TrialRecord, trialRecordSchema } from "../schema/trial.ts";
import type { RowWatch } from "./decode-files.ts";

/** What the rows of each file are. */
export interface RowTypes {
  readonly tasks: TaskRecord;
  readonly trials: TrialRecord;
  readonly scores: ScoreRecord;
  readonly attempts: AttemptRecord;
  readonly evidence: EvidenceFile;
}

/** The files that hold rows. */
export type RowFile = keyof RowTypes;

export const rowSchemas: { readonly [R in RowFile]: z.ZodType<RowTypes[R]> } = {
  tasks: taskRecordSchema,
  trials: trialRecordSchema,
  scores: scoreRecordSchema,
  attempts: attemptRecordSchema,
  evidence: evidenceFileSchema,
};

/** Sees the bytes of a file, and the JSON of each row of it. */
export type Inspection = Required<Pick<RowWatch, "update" | "row">>;

/** Of a file whose digest nobody knows. */
export const unwatched: RowWatch = { update: () => {}, end: () => {} };

export function inspected(watch: RowWatch, { update, row }: Inspection): RowWatch {
  return {
    update: (chunk) => {
      watch.update(chunk);
      update(chunk);
    },
    row,
    end: () => watch.end(),
  };
}

/** The rows one at a time. */
export async function* flat<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const rows of batches) yield* rows;
}
