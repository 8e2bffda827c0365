import path from "node:path";
import type { z } from "zod";

import { bundleFiles } from "../../bundle/layout.ts";
import { checkCheckpoint } from "../../bundle/recovery/checkpoint.ts";
import { assertAllThere } from "../../bundle/recovery/damages.ts";
import { RowScan, scanRows } from "../../bundle/recovery/scan-rows.ts";
import { type RowFile, type RowTypes, rowSchemas } from "../../bundle/row-files.ts";
import { RecordBook } from "../../bundle/verify/record-book.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import type { PlanRecord } from "../../schema/plan.ts";
import { whyTwofold } from "../../support/duplicate-keys.ts";
import { addDamage } from "./record-pass.ts";
import { type CheckedRecords, type RecordsRequest, refNotes } from "./records-check.ts";

/**
 * Looks at the rows of a run that goes on or was killed: each by itself, whether its task is there, and a trial's
 * attempt. Scores and evidence whose trial is not there yet are what a kill leaves, and so is a torn end, which is noted.
 */
export async function checkUnended(request: RecordsRequest): Promise<CheckedRecords> {
  const { reader, found } = request;
  await checkFiles(request);
  const plan = await planOf(request);
  const shape = { runId: reader.manifest.runId, isOwn: reader.isOwn, hasEnded: false };
  const trialsPerTask = plan?.trialsPerTask ?? null;
  const book = new RecordBook({ ...shape, trialsPerTask, isWhole: false }, found);
  const notes: string[] = [];
  const look = async <R extends RowFile>(role: R, use: (row: RowTypes[R]) => void) => {
    const torn = await eachWholeRow(request, role, use);
    if (torn !== null) notes.push(torn);
  };
  await look("tasks", (task) => book.addTask(task));
  // An attempt is on disk before its trial: of a trial that is read now it is there when the turn of the attempts comes.
  await look("trials", (trial) => book.addTrial(trial));
  await look("attempts", (attempt) => book.addAttempt(attempt));
  await look("scores", (score) => book.addScore(score));
  await look("evidence", (row) => book.addEvidence(row));
  book.end();
  return { counts: book.counts, notes: [lookedAt, ...notes, ...refNotes(book)] };
}

const lookedAt =
  "each row was looked at by itself: whether one is missing, or says what it did not say, is not known without digests";

/** What a resume refuses before it looks at a row. */
async function checkFiles({ reader, files, found }: RecordsRequest): Promise<void> {
  const { dir, manifest } = reader;
  const tell = async (kind: "altered" | "missing", check: Promise<void>) => {
    await check.catch((thrown: unknown) => {
      if (!AssayError.isInstance(thrown)) throw thrown;
      const file = String(thrown.data["file"] ?? bundleFiles.manifest);
      found.disagreeing.add(file, kind, messageOf(thrown));
    });
  };
  await tell("missing", assertAllThere(dir, files));
  const { checkpoint } = manifest;
  if (checkpoint) await tell("altered", checkCheckpoint(dir, checkpoint, files));
}

/** Null when it cannot be read, which is told, and when the run ended before it was written. */
async function planOf({ reader, files, found }: RecordsRequest): Promise<PlanRecord | null> {
  if ((await files.stat(path.join(reader.dir, bundleFiles.plan))) === null) return null;
  try {
    return await reader.plan();
  } catch (thrown) {
    addDamage(thrown, bundleFiles.plan, found.malformed);
    return null;
  }
}

/** Gives what is to be noted of the end of the file. */
async function eachWholeRow<R extends RowFile>(
  { reader, files, found: { malformed } }: RecordsRequest,
  role: R,
  use: (row: RowTypes[R]) => void,
): Promise<string | null> {
  const name = bundleFiles[role];
  const schema: z.ZodType<RowTypes[RowFile]> = rowSchemas[role];
  const scan = new RowScan();
  try {
    for await (const { row, wire, bytes, line } of scanRows(
      path.join(reader.dir, name),
      schema,
      files,
      scan,
    )) {
      const why = whyTwofold(bytes, wire);
      if (why === null) use(row as RowTypes[R]);
      else malformed.addMalformed(name, `line ${line}: ${why}`);
    }
  } catch (thrown) {
    addDamage(thrown, name, malformed);
  }
  return scan.isTorn
    ? `${name} ends in ${scan.tornBytes} bytes that are no whole row, as a kill leaves or a write that goes on; --resume cuts them off`
    : null;
}
