import type { z } from "zod";

import { type AttemptRecord, attemptRecordSchema } from "../schema/attempt.ts";
import { type EvidenceFile, evidenceFileSchema } from "../schema/evidence-file.ts";
import { type ScoreRecord, scoreRecordSchema } from "../schema/score.ts";
import { type TaskRecord, taskRecordSchema } from "../schema/task.ts";
import { type TrialRecord, trialRecordSchema } from "../schema/trial.ts";
import type { RowWatch } from "./decode-rows.ts";

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

/** Of a file whose digest nobody knows. */
export const unwatched: RowWatch = { update: () => {}, end: () => {} };

/** The rows one at a time. */
export async function* flat<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const rows of batches) yield* rows;
}
