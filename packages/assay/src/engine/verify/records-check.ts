import { bundleFiles } from "../../bundle/layout.ts";
import type { BundleReader } from "../../bundle/read-bundle.ts";
import type { RowFile } from "../../bundle/row-files.ts";
import type { FoundProblems } from "../../bundle/verify/problems.ts";
import { RecordBook } from "../../bundle/verify/record-book.ts";
import { RowStrictness, whyNotStrict } from "../../bundle/verify/row-strictness.ts";
import { EndedRun } from "../../bundle/verify/run-rules.ts";
import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { PlanRecord } from "../../schema/plan.ts";
import type { RunMetadata } from "../../schema/run-metadata.ts";
import { checkFacts } from "./facts-check.ts";
import { RecordFigures } from "./record-figures.ts";
import { addDamage, type RowReading, readRecords } from "./record-pass.ts";
import { checkSummary } from "./summary-check.ts";
import type { RowCounts } from "./verification.ts";

export interface RecordsRequest {
  readonly reader: BundleReader;
  readonly files: FileStore;
  readonly found: FoundProblems;
}

export interface CheckedRecords {
  readonly counts: RowCounts;
  readonly notes: readonly string[];
}

/** Reads all documents and rows once: whether each has the form of its kind, and says what the others say. */
export async function checkRecords(request: RecordsRequest): Promise<CheckedRecords> {
  const { reader, found } = request;
  const notes: string[] = [];
  const read = async <T>(name: string, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (thrown) {
      addDamage(thrown, name, found.malformed);
      return null;
    }
  };
  const plan = await read(bundleFiles.plan, () => reader.plan());
  const metadata = await read(bundleFiles.metadata, () => reader.metadata());
  const statement = await reader.statement().catch((thrown: unknown) => {
    notes.push(otherForm(thrown));
    return null;
  });
  const book = bookOf(request, plan, metadata);
  const figures = new RecordFigures();
  await readRecords({ book, figures, order, read: strictRows(request) });
  notes.push(...refNotes(book));
  const documents = { manifest: reader.manifest, plan, metadata };
  const rows = { counts: book.counts, tally: figures.tally, taskIds: book.taskIds() };
  const predicate = statement?.predicate ?? null;
  checkFacts({ ...documents, ...rows, predicate }, found.disagreeing);
  if (reader.isOwn)
    await read(bundleFiles.summary, () =>
      checkSummary(reader, figures.summary(), found.disagreeing),
    );
  return { counts: book.counts, notes };
}

/** Its digests are read all the same: they have had one form from the beginning. */
function otherForm(thrown: unknown): string {
  if (!AssayError.isInstance(thrown)) throw thrown;
  return `the facts of ${bundleFiles.provenance} were not compared with other files: ${thrown.message}`;
}

/** Imported trials are as many as there were, task by task. */
function bookOf(
  { reader: { manifest, isOwn }, found }: RecordsRequest,
  plan: PlanRecord | null,
  metadata: RunMetadata | null,
): RecordBook {
  const isImported = metadata?.target?.kind === "imported";
  const trialsPerTask = isImported ? null : (plan?.trialsPerTask ?? null);
  const isWhole = isOwn && manifest.status === "completed";
  const rules = new EndedRun({ isOwn, trialsPerTask, isWhole });
  return new RecordBook({ runId: manifest.runId, isOwn, trialsPerTask }, rules, found);
}

const order: readonly RowFile[] = ["tasks", "attempts", "trials", "scores", "evidence"];

/** All rows as readers give them; of Assay's own also whether everybody reads them alike. */
function strictRows({ reader, files, found: { malformed } }: RecordsRequest): RowReading {
  return async (role, use) => {
    const name = bundleFiles[role];
    const strictness = new RowStrictness();
    try {
      await reader.eachRow(role, use, strictness);
      if (strictness.isStrict() || !reader.isOwn) return;
      malformed.addMalformed(name, await whyNotStrict(reader.dir, name, files));
    } catch (thrown) {
      addDamage(thrown, name, malformed);
    }
  };
}

export function refNotes({ outsideRefs, firstOutsideRef }: RecordBook): readonly string[] {
  if (firstOutsideRef === null) return [];
  const others = outsideRefs === 1 ? "" : `, nor ${outsideRefs - 1} more of that kind`;
  return [`${firstOutsideRef}: it is no part of the bundle, and nothing follows it${others}`];
}
