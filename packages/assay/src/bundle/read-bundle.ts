import path from "node:path";
import type { z } from "zod";

import type { FileStore } from "../contracts/files.ts";
import { AssayError } from "../errors/assay-error.ts";
import type { AttemptRecord } from "../schema/attempt.ts";
import type { EvidenceFile } from "../schema/evidence-file.ts";
import { type Manifest, manifestSchema } from "../schema/manifest.ts";
import { type PlanRecord, planRecordSchema } from "../schema/plan.ts";
import { type ProvenanceStatement, provenanceStatementSchema } from "../schema/provenance.ts";
import { type RunMetadata, runMetadataSchema } from "../schema/run-metadata.ts";
import type { ScoreRecord } from "../schema/score.ts";
import type { Summary } from "../schema/summary.ts";
import type { TaskRecord } from "../schema/task.ts";
import type { TrialRecord } from "../schema/trial.ts";
import { decodeSummary } from "../statistics/decode-summary.ts";
import type { JsonObject } from "../support/json.ts";
import { bytesOf, decodeDocument, decodeRecord, documentOf } from "./decode-files.ts";
import {
  eachRowIn,
  glancedBatchesIn,
  type Inspection,
  type RowSource,
  rowBatchesIn,
} from "./decode-rows.ts";
import { evidenceDamages } from "./integrity/evidence-checks.ts";
import { damageError, type FileDamage } from "./integrity/file-damage.ts";
import { checkManifest } from "./integrity/seal.ts";
import { SealedFiles } from "./integrity/sealed-files.ts";
import { assertKnownVersion, otherForm } from "./known-form.ts";
import { type BundleFile, bundleFiles } from "./layout.ts";
import {
  type BundleGap,
  benchmarkFile,
  bundleGaps,
  gapsOfSummary,
  metadataOfBenchmark,
} from "./older-formats.ts";
import { type OnTaskValues, readSummaryByTask } from "./read-summary.ts";
import { flat, type RowFile, type RowTypes, rowSchemas } from "./row-files.ts";
import { type GlanceTypes, glances } from "./row-glances.ts";
import { guarded } from "./verify/row-guard.ts";

/**
 * Read access to a run directory, wherever it was moved to. Rows stream; documents are read when asked for. Of a sealed
 * bundle every file is compared with its digest as it is read: documents before they are given, rows after the last one.
 * Whoever stops before that has not checked them.
 */
export class BundleReader {
  readonly dir: string;
  readonly manifest: Manifest;
  readonly #files: FileStore;
  readonly #gaps = new Set<BundleGap>();
  readonly #sealed: SealedFiles;

  private constructor(dir: string, manifest: Manifest, files: FileStore) {
    this.dir = dir;
    this.manifest = manifest;
    this.#files = files;
    this.#sealed = new SealedFiles(dir, manifest, files);
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
    const wire = documentOf(await bytesOf(file, files), bundleFiles.manifest);
    assertKnownVersion(wire, dir);
    checkManifest(dir, wire);
    const manifest = decodeRecord(manifestSchema, wire, bundleFiles.manifest);
    return new BundleReader(dir, manifest, files);
  }

  /** Why nothing of the bundle can be verified; null when it has digests. */
  get unsealedBecause(): string | null {
    return this.#sealed.unsealedBecause;
  }

  /** Whether Assay wrote it: then every file has to be there. Other writers have no plan, ledger and statement. */
  get isOwn(): boolean {
    return this.manifest.schemaVersion !== undefined || this.unsealedBecause === null;
  }

  /** What was read so far does not hold as the format of today would, a sentence each: it is of an older generation. */
  get gaps(): readonly string[] {
    return [...this.#gaps].map((gap) => bundleGaps[gap]);
  }

  /** The summary that was read is of an older generation and has no values by task; the rows have them. */
  get lacksTaskValues(): boolean {
    return this.#gaps.has("no_task_values");
  }

  tasks(): AsyncIterable<TaskRecord> {
    return flat(this.batches("tasks"));
  }

  trials(): AsyncIterable<TrialRecord> {
    return flat(this.batches("trials"));
  }

  scores(): AsyncIterable<ScoreRecord> {
    return flat(this.batches("scores"));
  }

  /** Empty for bundles of other writers. */
  attempts(): AsyncIterable<AttemptRecord> {
    return flat(this.batches("attempts"));
  }

  /** Empty for bundles of other writers. */
  evidenceFiles(): AsyncIterable<EvidenceFile> {
    return flat(this.batches("evidence"));
  }

  /** The rows of a file, many at a time. A row that Assay would not have written is `ASSAY_BUNDLE_DAMAGED`. */
  batches<R extends RowFile>(role: R): AsyncIterable<readonly RowTypes[R][]> {
    return rowBatchesIn(this.#path(role), rowSchemas[role], this.#guardedRows(role));
  }

  /** Each row of a file; `inspection` sees what it was read from. Rows that are alike are one object, with the values of each. */
  async eachRow<R extends RowFile>(
    role: R,
    use: (row: RowTypes[R]) => void,
    inspection?: Inspection,
  ): Promise<void> {
    const source = { ...this.#rowSource(role), inspection };
    await eachRowIn(this.#path(role), rowSchemas[role], source, use);
  }

  /**
   * The same for whoever counts: of a row that there is nothing to say of only that is told, and whether it is well-formed
   * is not asked where a seal says that it is as it was written.
   */
  glances<R extends keyof GlanceTypes>(
    role: R,
  ): AsyncIterable<readonly (RowTypes[R] | GlanceTypes[R])[]> {
    if (this.unsealedBecause !== null) return this.batches(role);
    const source = { ...this.#guardedRows(role), glance: glances[role] };
    return glancedBatchesIn(this.#path(role), rowSchemas[role], source);
  }

  /** Others may write as they like, and the rows of a run that goes on are read by nobody but that run. */
  #guardedRows(role: RowFile): RowSource {
    const source = this.#rowSource(role);
    return this.isOwn && this.manifest.status !== "running" ? guarded(source, role) : source;
  }

  #rowSource(role: RowFile): RowSource {
    const open = async () =>
      (await this.#isLeftOut(role)) ? null : await this.#sealed.watch(bundleFiles[role]);
    return { files: this.#files, open, onBareNumbers: this.#onBareNumbers };
  }

  /** The oldest bundles hold tags alone: then the times are empty texts. */
  async metadata(): Promise<RunMetadata> {
    if (!this.isOwn && (await this.#lacks("metadata"))) {
      const benchmark = path.join(this.dir, benchmarkFile);
      if ((await this.#files.stat(benchmark)) !== null) {
        this.#gaps.add("no_metadata");
        const bytes = await bytesOf(benchmark, this.#files);
        return this.#decode(bytes, benchmarkFile, metadataOfBenchmark);
      }
    }
    return await this.#document("metadata", (wire) =>
      decodeRecord(runMetadataSchema, wire, bundleFiles.metadata),
    );
  }

  /**
   * `needsTaskValues`: throws `ASSAY_BUNDLE_VERSION` for a summary of an older format that lacks the values by task,
   * whose empty map must not be taken for "nothing was measured".
   */
  async summary({ needsTaskValues = false } = {}): Promise<Summary> {
    const decoded = await this.#document("summary", (wire) =>
      decodeSummary(wire, bundleFiles.summary),
    );
    if (!this.isOwn) for (const gap of gapsOfSummary(decoded)) this.#gaps.add(gap);
    if (!needsTaskValues || decoded.valuesForm !== "none") return decoded.summary;
    throw new AssayError(
      "ASSAY_BUNDLE_VERSION",
      `summary.json of "${this.dir}" is of an older format without the values by task`,
      { remedy: "Score the bundle again with `assay rescore`." },
    );
  }

  /**
   * The summary without its values by task, which `onTask` is given one task at a time, and never all at once. For
   * bundles of Assay; of other writers read `summary`.
   */
  async summaryByTask(onTask: OnTaskValues): Promise<Summary> {
    const watch = await this.#sealed.watch(bundleFiles.summary);
    return await readSummaryByTask(
      { file: this.#path("summary"), files: this.#files, watch },
      onTask,
    );
  }

  /** Null for bundles of other writers. */
  async plan(): Promise<PlanRecord | null> {
    if (await this.#isLeftOut("plan")) return null;
    return await this.#document("plan", (wire) =>
      decodeRecord(planRecordSchema, wire, bundleFiles.plan),
    );
  }

  /** The provenance statement as it is stored, or null for bundles that are not sealed. */
  async provenance(): Promise<JsonObject | null> {
    return (await this.#sealed.seal())?.statement ?? null;
  }

  /** The same with every fact checked. */
  async statement(): Promise<ProvenanceStatement | null> {
    return await this.statementAs(provenanceStatementSchema);
  }

  /** The same in the part that a schema names, for whoever needs no more of what another version of Assay may have written. */
  async statementAs<T extends z.ZodType>(schema: T): Promise<z.output<T> | null> {
    const wire = await this.provenance();
    if (wire === null) return null;
    try {
      return decodeRecord(schema, wire, bundleFiles.provenance);
    } catch (cause) {
      throw otherForm(this.dir, cause);
    }
  }

  /** `sha256:<hex>` of provenance.json, or null for bundles that are not sealed. */
  async digest(): Promise<string | null> {
    return (await this.#sealed.seal())?.digest ?? null;
  }

  /**
   * Every file that is not what the bundle's digests say; none where there are no digests. Data files that were read to
   * their end are not read again. Evidence is read only when asked for.
   */
  async damages({ withEvidence = false } = {}): Promise<readonly FileDamage[]> {
    const damages = await this.#sealed.damages();
    if (damages === null) return [];
    // Without its list it cannot be told what the evidence should be.
    if (!withEvidence || damages.some(({ path: name }) => name === bundleFiles.evidence))
      return damages;
    const place = { dir: this.dir, files: this.#files };
    return [...damages, ...(await evidenceDamages(this.evidenceFiles(), place))];
  }

  /** Throws `ASSAY_BUNDLE_DAMAGED`, which names each of `damages`. */
  async assertUnaltered(options?: { readonly withEvidence?: boolean }): Promise<void> {
    const damages = await this.damages(options);
    if (damages.length > 0) throw damageError(this.dir, damages);
  }

  /** Does some reading of this bundle; when it meets damage, all that is damaged is named. */
  async reading<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      if (!AssayError.isInstance(thrown) || thrown.code !== "ASSAY_BUNDLE_DAMAGED") throw thrown;
      const damages = await this.damages();
      throw damages.length === 0 ? thrown : damageError(this.dir, damages, thrown);
    }
  }

  #path(role: BundleFile): string {
    return path.join(this.dir, bundleFiles[role]);
  }

  async #document<T>(role: BundleFile, decode: (wire: unknown) => T): Promise<T> {
    const bytes = await bytesOf(this.#path(role), this.#files);
    await this.#sealed.check(bundleFiles[role], bytes);
    return this.#decode(bytes, bundleFiles[role], decode);
  }

  #decode<T>(bytes: Uint8Array, source: string, decode: (wire: unknown) => T): T {
    return decodeDocument(bytes, { source, decode, onBareNumbers: this.#onBareNumbers });
  }

  /** Other writers put them into their files; Assay never did. */
  get #onBareNumbers(): (() => void) | null {
    return this.isOwn ? null : () => void this.#gaps.add("bare_numbers");
  }

  async #lacks(role: BundleFile): Promise<boolean> {
    return (await this.#files.stat(this.#path(role))) === null;
  }

  /** Absent, and not needed: other writers have no such file. */
  async #isLeftOut(role: BundleFile): Promise<boolean> {
    return !this.isOwn && ownFiles.has(role) && (await this.#lacks(role));
  }
}

const ownFiles: ReadonlySet<BundleFile> = new Set(["plan", "attempts", "evidence"]);
