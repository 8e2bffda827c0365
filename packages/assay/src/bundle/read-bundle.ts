import path from "node:path";
import type { z } from "zod";

import type { FileStore } from "../contracts/files.ts";
import { AssayError } from "../errors/assay-error.ts";
import { type AttemptRecord, attemptRecordSchema } from "../schema/attempt.ts";
import { type EvidenceFile, evidenceFileSchema } from "../schema/evidence-file.ts";
import { bundleFormatVersion, type Manifest, manifestSchema } from "../schema/manifest.ts";
import { type PlanRecord, planRecordSchema } from "../schema/plan.ts";
import { type ProvenanceStatement, provenanceStatementSchema } from "../schema/provenance.ts";
import { type RunMetadata, runMetadataSchema } from "../schema/run-metadata.ts";
import { type ScoreRecord, scoreRecordSchema } from "../schema/score.ts";
import type { Summary } from "../schema/summary.ts";
import { type TaskRecord, taskRecordSchema } from "../schema/task.ts";
import { type TrialRecord, trialRecordSchema } from "../schema/trial.ts";
import { decodeSummary } from "../statistics/decode-summary.ts";
import { sha256Hex } from "../support/digest.ts";
import { isPlainObject, type JsonObject } from "../support/json.ts";
import { bytesOf, decodeRecord, documentIn, rowsIn } from "./decode-files.ts";
import { type BundleFile, bundleFiles } from "./layout.ts";
import { benchmarkFile, metadataOfBenchmark } from "./older-formats.ts";

/** Read access to a run directory, wherever it was moved to. Rows stream; documents are read when asked for. */
export class BundleReader {
  readonly dir: string;
  readonly manifest: Manifest;
  readonly #files: FileStore;

  private constructor(dir: string, manifest: Manifest, files: FileStore) {
    this.dir = dir;
    this.manifest = manifest;
    this.#files = files;
  }

  /** Throws `ASSAY_BUNDLE_NOT_FOUND`, `ASSAY_BUNDLE_DAMAGED` or `ASSAY_BUNDLE_VERSION`. */
  static async open(dir: string, files: FileStore): Promise<BundleReader> {
    const file = path.join(dir, bundleFiles.manifest);
    if ((await files.stat(file)) === null) {
      throw new AssayError(
        "ASSAY_BUNDLE_NOT_FOUND",
        `there is no bundle at "${dir}": it has no run.json`,
        { data: { path: dir } },
      );
    }
    const wire = await documentIn(file, files);
    assertKnownVersion(wire, dir);
    return new BundleReader(dir, decodeRecord(manifestSchema, wire, bundleFiles.manifest), files);
  }

  /** Whether Assay wrote it: then every file has to be there. Other writers have no plan, ledger and statement. */
  get isOwn(): boolean {
    return this.manifest.schemaVersion !== undefined;
  }

  tasks(): AsyncIterable<TaskRecord> {
    return this.#rows("tasks", taskRecordSchema);
  }

  trials(): AsyncIterable<TrialRecord> {
    return this.#rows("trials", trialRecordSchema);
  }

  scores(): AsyncIterable<ScoreRecord> {
    return this.#rows("scores", scoreRecordSchema);
  }

  /** Empty for bundles of other writers. */
  attempts(): AsyncIterable<AttemptRecord> {
    return this.#rows("attempts", attemptRecordSchema);
  }

  /** Empty for bundles of other writers. */
  evidenceFiles(): AsyncIterable<EvidenceFile> {
    return this.#rows("evidence", evidenceFileSchema);
  }

  /** The oldest bundles hold tags alone: then the times are empty texts. */
  async metadata(): Promise<RunMetadata> {
    if (!this.isOwn && (await this.#lacks("metadata"))) {
      const benchmark = path.join(this.dir, benchmarkFile);
      if ((await this.#files.stat(benchmark)) !== null)
        return metadataOfBenchmark(await documentIn(benchmark, this.#files));
    }
    return decodeRecord(runMetadataSchema, await this.#document("metadata"), bundleFiles.metadata);
  }

  /**
   * `needsTaskValues`: throws `ASSAY_BUNDLE_VERSION` for a summary of an older format that lacks the values by task,
   * whose empty map must not be taken for "nothing was measured".
   */
  async summary({ needsTaskValues = false } = {}): Promise<Summary> {
    const decoded = decodeSummary(await this.#document("summary"), bundleFiles.summary);
    if (!needsTaskValues || decoded.hasTaskMetricValues) return decoded.summary;
    throw new AssayError(
      "ASSAY_BUNDLE_VERSION",
      `summary.json of "${this.dir}" is of an older format without the values by task`,
      { remedy: "Score the bundle again with `assay rescore`." },
    );
  }

  /** Null for bundles of other writers. */
  async plan(): Promise<PlanRecord | null> {
    if (await this.#isLeftOut("plan")) return null;
    return decodeRecord(planRecordSchema, await this.#document("plan"), bundleFiles.plan);
  }

  /** The provenance statement as it is stored, or null for bundles of other writers. */
  async provenance(): Promise<JsonObject | null> {
    if (await this.#isLeftOut("provenance")) return null;
    const statement = await this.#document("provenance");
    if (isPlainObject(statement)) return statement as JsonObject;
    throw new AssayError("ASSAY_BUNDLE_DAMAGED", `${bundleFiles.provenance} is no JSON object`);
  }

  /** The same with every fact checked. */
  async statement(): Promise<ProvenanceStatement | null> {
    const wire = await this.provenance();
    return wire && decodeRecord(provenanceStatementSchema, wire, bundleFiles.provenance);
  }

  /** `sha256:<hex>` of provenance.json, or null. */
  async digest(): Promise<string | null> {
    if (await this.#isLeftOut("provenance")) return null;
    return `sha256:${sha256Hex(await bytesOf(this.#path("provenance"), this.#files))}`;
  }

  #path(role: BundleFile): string {
    return path.join(this.dir, bundleFiles[role]);
  }

  async #document(role: BundleFile): Promise<unknown> {
    return await documentIn(this.#path(role), this.#files);
  }

  #rows<T extends z.ZodType>(role: BundleFile, schema: T): AsyncIterable<z.output<T>> {
    return rowsIn(this.#path(role), schema, {
      files: this.#files,
      isLeftOut: () => this.#isLeftOut(role),
    });
  }

  async #lacks(role: BundleFile): Promise<boolean> {
    return (await this.#files.stat(this.#path(role))) === null;
  }

  /** Absent, and not needed: another writer's bundle, or an in-toto statement that is still to come. */
  async #isLeftOut(role: BundleFile): Promise<boolean> {
    const isOptional = !this.isOwn && ownFiles.has(role);
    const isToCome = role === "provenance" && this.manifest.status === "running";
    return (isOptional || isToCome) && (await this.#lacks(role));
  }
}

const ownFiles: ReadonlySet<BundleFile> = new Set(["plan", "attempts", "evidence", "provenance"]);

/** Before anything else is asked of the manifest: a later format may differ in all of it. */
function assertKnownVersion(wire: unknown, dir: string): void {
  const version = isPlainObject(wire) ? wire["schema_version"] : undefined;
  if (typeof version !== "number" || version <= bundleFormatVersion) return;
  throw new AssayError(
    "ASSAY_BUNDLE_VERSION",
    `"${dir}" has bundle format ${version}, this Assay reads up to ${bundleFormatVersion}`,
    { data: { path: dir } },
  );
}
