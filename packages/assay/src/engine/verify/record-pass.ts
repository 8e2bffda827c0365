import { bundleFiles } from "../../bundle/layout.ts";
import type { BundleReader } from "../../bundle/read-bundle.ts";
import type { RowFile, RowTypes } from "../../bundle/row-files.ts";
import { TrialOrderBook } from "../../bundle/trial-order.ts";
import type { FoundProblems, Problems } from "../../bundle/verify/problems.ts";
import { type BookShape, RecordBook } from "../../bundle/verify/record-book.ts";
import { RowStrictness, whyNotStrict } from "../../bundle/verify/row-strictness.ts";
import type { FileStore } from "../../contracts/files.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { createSummaryAccumulator, type SummaryAccumulator } from "../summarise/accumulator.ts";
import type { SummaryTask } from "../summarise/task-layout.ts";
import { Tally } from "../trials/tally.ts";

export interface PassRequest {
  readonly reader: BundleReader;
  readonly files: FileStore;
  readonly shape: BookShape;
  readonly found: FoundProblems;
}

/** What one pass over all rows gave. */
export interface RecordPass {
  readonly book: RecordBook;
  readonly tally: Tally;
  readonly accumulator: SummaryAccumulator;
}

/** Reads each file of rows once, and keeps of a row only what others have to agree with. */
export async function readRecords(request: PassRequest): Promise<RecordPass> {
  const book = new RecordBook(request.shape, request.found);
  const tasks: SummaryTask[] = [];
  await eachRow(request, "tasks", (task) => {
    book.addTask(task);
    const { id, metrics, views } = task;
    tasks.push({ id, metrics, views });
  });
  const order = new TrialOrderBook();
  const tally = new Tally();
  await eachRow(request, "attempts", (attempt) => {
    book.addAttempt(attempt);
    order.add(attempt);
    tally.addAttempt(attempt);
  });
  const accumulator = createSummaryAccumulator(tasks, order.orderOf);
  await eachRow(request, "trials", (trial) => {
    book.addTrial(trial);
    accumulator.addTrial(trial);
  });
  await eachRow(request, "scores", (score) => {
    book.addScore(score);
    accumulator.addScore(score);
  });
  await eachRow(request, "evidence", (row) => book.addEvidence(row));
  book.end();
  return { book, tally, accumulator };
}

async function eachRow<R extends RowFile>(
  { reader, files, found: { malformed } }: PassRequest,
  role: R,
  use: (row: RowTypes[R]) => void,
): Promise<void> {
  const name = bundleFiles[role];
  const strictness = new RowStrictness();
  try {
    for await (const rows of reader.batches(role, strictness)) for (const row of rows) use(row);
    if (strictness.isStrict() || !reader.isOwn) return;
    malformed.addMalformed(name, await whyNotStrict(reader.dir, name, files));
  } catch (thrown) {
    addDamage(thrown, name, malformed);
  }
}

/** What differs from its digest is told with all that do. */
export function addDamage(thrown: unknown, name: string, malformed: Problems): void {
  if (!AssayError.isInstance(thrown)) throw thrown;
  if (thrown.data["files"] === undefined) malformed.addMalformed(name, messageOf(thrown));
}
