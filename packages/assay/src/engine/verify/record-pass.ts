import type { RowFile, RowTypes } from "../../bundle/row-files.ts";
import type { Problems } from "../../bundle/verify/problems.ts";
import type { RecordBook } from "../../bundle/verify/record-book.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import type { RecordFigures } from "./record-figures.ts";

type RowUses = { readonly [R in RowFile]: (row: RowTypes[R]) => void };

/** Gives the rows of a file that can be read, and tells of what cannot. */
export type RowReading = <R extends RowFile>(role: R, use: RowUses[R]) => Promise<void>;

export interface RecordPass {
  readonly book: RecordBook;
  /** Made of the same rows, when somebody compares them. */
  readonly figures?: RecordFigures;
  /** Each file of rows, tasks first. */
  readonly order: readonly RowFile[];
  readonly read: RowReading;
}

/** Reads each file of rows once, and keeps of a row only what others have to agree with. */
export async function readRecords({ book, figures, order, read }: RecordPass): Promise<void> {
  const uses: RowUses = {
    tasks: (task) => {
      book.addTask(task);
      figures?.addTask(task);
    },
    attempts: (attempt) => {
      book.addAttempt(attempt);
      figures?.addAttempt(attempt);
    },
    trials: (trial) => {
      book.addTrial(trial);
      figures?.addTrial(trial);
    },
    scores: (score) => {
      book.addScore(score);
      figures?.addScore(score);
    },
    evidence: (row) => book.addEvidence(row),
  };
  for (const role of order) await read(role, uses[role]);
  book.end();
}

/** What differs from its digest is told with all that do. */
export function addDamage(thrown: unknown, name: string, malformed: Problems): void {
  if (!AssayError.isInstance(thrown)) throw thrown;
  if (thrown.data["files"] === undefined) malformed.addMalformed(name, messageOf(thrown));
}
