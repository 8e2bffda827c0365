import path from "node:path";

import { bundleFiles } from "../../bundle/layout.ts";
import { checkCheckpoint } from "../../bundle/recovery/checkpoint.ts";
import { assertAllThere } from "../../bundle/recovery/damages.ts";
import { RowScan, scanRows } from "../../bundle/recovery/scan-rows.ts";
import { type RowFile, rowSchemas } from "../../bundle/row-files.ts";
import { RecordBook } from "../../bundle/verify/record-book.ts";
import { UnendedRun } from "../../bundle/verify/run-rules.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import type { PlanRecord } from "../../schema/plan.ts";
import { whyTwofold } from "../../support/duplicate-keys.ts";
import { addDamage, type RowReading, readRecords } from "./record-pass.ts";
import { type CheckedRecords, type RecordsRequest, refNotes } from "./records-check.ts";

/**
 * Looks at the rows of a run that goes on or was killed: each by itself, whether its task is there, and a trial's
 * attempt. Scores and evidence whose trial is not there yet are what a kill leaves, and so is a torn end, which is noted.
 */
export async function checkUnended(request: RecordsRequest): Promise<CheckedRecords> {
  const { reader, found } = request;
  await checkFiles(request);
  const plan = await planOf(request);
  const { manifest, isOwn } = reader;
  const shape = { runId: manifest.runId, isOwn, trialsPerTask: plan?.trialsPerTask ?? null };
  const book = new RecordBook(shape, new UnendedRun({ isOwn }), found);
  const notes: string[] = [];
  await readRecords({ book, order, read: wholeRows(request, notes) });
  return { counts: book.counts, notes: [lookedAt, ...notes, ...refNotes(book)] };
}

/** An attempt is on disk before its trial: of a trial that is read now it is there when the turn of the attempts comes. */
const order: readonly RowFile[] = ["tasks", "trials", "attempts", "scores", "evidence"];

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

/** The rows that the writer has ended; of what is behind them a note is made. */
function wholeRows(
  { reader, files, found: { malformed } }: RecordsRequest,
  notes: string[],
): RowReading {
  return async (role, use) => {
    const name = bundleFiles[role];
    const scan = new RowScan();
    try {
      const rows = scanRows(path.join(reader.dir, name), rowSchemas[role], files, scan);
      for await (const { row, wire, bytes, line } of rows) {
        const why = whyTwofold(bytes, wire);
        if (why === null) use(row);
        else malformed.addMalformed(name, `line ${line}: ${why}`);
      }
    } catch (thrown) {
      addDamage(thrown, name, malformed);
    }
    if (scan.isTorn) notes.push(tornEnd(name, scan));
  };
}

function tornEnd(name: string, { tornBytes }: RowScan): string {
  return `${name} ends in ${tornBytes} bytes that are no whole row, as a kill leaves or a write that goes on; --resume cuts them off`;
}
