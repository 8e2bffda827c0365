import { bundleFiles } from "../../bundle/layout.ts";
import type { BundleReader } from "../../bundle/read-bundle.ts";
import type { FoundProblems } from "../../bundle/verify/problems.ts";
import type { BookShape, RecordBook } from "../../bundle/verify/record-book.ts";
import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { PlanRecord } from "../../schema/plan.ts";
import type { RunMetadata } from "../../schema/run-metadata.ts";
import { checkFacts } from "./facts-check.ts";
import { addDamage, readRecords } from "./record-pass.ts";
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
  const shape = shapeOf(reader, plan, metadata);
  const { book, tally, accumulator } = await readRecords({ ...request, shape });
  notes.push(...refNotes(book));
  const documents = { manifest: reader.manifest, plan, metadata };
  const rows = { counts: book.counts, tally, taskIds: book.taskIds() };
  const predicate = statement?.predicate ?? null;
  checkFacts({ ...documents, ...rows, predicate }, found.disagreeing);
  if (reader.isOwn)
    await read(bundleFiles.summary, () =>
      checkSummary(reader, accumulator.finish([]), found.disagreeing),
    );
  return { counts: book.counts, notes };
}

/** Its digests are read all the same: they have had one form from the beginning. */
function otherForm(thrown: unknown): string {
  if (!AssayError.isInstance(thrown)) throw thrown;
  return `the facts of ${bundleFiles.provenance} were not compared with other files: ${thrown.message}`;
}

/** Imported trials are as many as there were, task by task. */
function shapeOf(
  { manifest, isOwn }: BundleReader,
  plan: PlanRecord | null,
  metadata: RunMetadata | null,
): BookShape {
  const isImported = metadata?.target?.kind === "imported";
  return {
    runId: manifest.runId,
    isOwn,
    hasEnded: true,
    trialsPerTask: isImported ? null : (plan?.trialsPerTask ?? null),
    isWhole: isOwn && manifest.status === "completed",
  };
}

export function refNotes({ outsideRefs, firstOutsideRef }: RecordBook): readonly string[] {
  if (firstOutsideRef === null) return [];
  const others = outsideRefs === 1 ? "" : `, nor ${outsideRefs - 1} more of that kind`;
  return [`${firstOutsideRef}: it is no part of the bundle, and nothing follows it${others}`];
}
