import path from "node:path";

import { copyBundle } from "../../bundle/copy-bundle.ts";
import { refuseInsideBundle } from "../../bundle/enclosing-bundle.ts";
import { refuseExisting } from "../../bundle/output-directory.ts";
import type { BundleReader } from "../../bundle/read-bundle.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { formatSummary } from "../../report/text/format-summary.ts";
import { toRecords } from "../../report/text/records.ts";
import { toWire } from "../../schema/codec.ts";
import { runMetadataSchema } from "../../schema/run-metadata.ts";
import { type Summary, summarySchema } from "../../schema/summary.ts";
import type { TaskRecord } from "../../schema/task.ts";
import type { JsonObject } from "../../support/json.ts";
import { isBelow } from "../../support/paths.ts";
import type { EvalResult, Rows } from "../api.ts";
import type { Platform } from "../platform.ts";
import { exitCodeOfStored } from "./exit-code.ts";
import { storedSummary } from "./stored-summary.ts";

export interface StoredResultOptions {
  /** Of the run that has just ended; else it is told from what is stored. */
  readonly exitCode?: number;
  readonly platform: Pick<Platform, "files" | "cwd">;
  readonly isTemporary: boolean;
  /** What the bundle holds, for whoever has it at hand; else it is read. */
  readonly summary?: Summary;
  readonly tasks?: readonly TaskRecord[];
}

/** A result whose rows stay on disk. */
export async function storedResult(
  reader: BundleReader,
  { exitCode, platform, isTemporary, ...known }: StoredResultOptions,
): Promise<EvalResult> {
  const { manifest } = reader;
  const metadata = await reader.metadata();
  const tasks = known.tasks ?? (await toArray(reader.tasks()));
  const summary = known.summary ?? (await storedSummary(reader));
  const trials = rowsOf(() => reader.trials());
  const scores = rowsOf(() => reader.scores());
  const batches = {
    trialBatches: rowsOf(() => reader.glances("trials")),
    scoreBatches: rowsOf(() => reader.batches("scores")),
    scoreGlances: rowsOf(() => reader.glances("scores")),
  };
  const text = { tasks, scores, ...batches, summary, workDir: reader.dir };
  const facts = {
    runId: manifest.runId,
    status: manifest.status ?? "completed",
    statusCause: manifest.statusCause ?? null,
    exitCode: exitCode ?? exitCodeOfStored(manifest, summary),
    workDir: reader.dir,
    bundleDigest: (await reader.digest()) ?? "",
  };
  return {
    ...facts,
    tasks,
    trials,
    scores,
    summary,
    metadata,
    toJSON: () => ({
      run_id: facts.runId,
      status: facts.status,
      status_cause: facts.statusCause,
      exit_code: facts.exitCode,
      work_dir: facts.workDir,
      bundle_digest: facts.bundleDigest,
      metadata: toWire(runMetadataSchema, metadata) as JsonObject,
      summary: toWire(summarySchema, summary) as JsonObject,
    }),
    persist: (dir) => persist(reader.dir, dir, { platform, isTemporary }),
    toRecords: (view) => toRecords(text, view),
    formatSummary: (options) => formatSummary(text, options),
  };
}

function rowsOf<T>(open: () => AsyncIterable<T>): Rows<T> {
  return {
    [Symbol.asyncIterator]: () => open()[Symbol.asyncIterator](),
    toArray: () => toArray(open()),
  };
}

async function toArray<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const result: T[] = [];
  for await (const row of rows) result.push(row);
  return result;
}

/** Copies the bundle byte for byte: its digest stays the same. */
async function persist(
  from: string,
  dir: string | undefined,
  { platform, isTemporary }: Omit<StoredResultOptions, "exitCode">,
): Promise<string> {
  if (dir === undefined && !isTemporary) return from;
  if (dir === undefined) throw noDirectory();
  const to = path.resolve(platform.cwd, dir);
  if (to === from) return from;
  if (isBelow(from, to)) {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `"${to}" lies inside of the bundle that is to be persisted`,
      { remedy: "Give persist() another directory." },
    );
  }
  await refuseExisting(to, platform.files);
  await refuseInsideBundle(to, platform.files);
  await copyBundle(from, to, platform.files);
  return to;
}

function noDirectory(): AssayError {
  return new AssayError("ASSAY_CONFIG_INVALID", "there is no directory to persist to", {
    remedy: "Give persist() a directory, or run with a workDir.",
  });
}
