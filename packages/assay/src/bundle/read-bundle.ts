import path from "node:path";
import type { z } from "zod";

import type { FileStore } from "../contracts/files.ts";
import { AssayError, messageOf } from "../errors/assay-error.ts";
import { type AttemptRecord, attemptRecordSchema } from "../schema/attempt.ts";
import { fromWire } from "../schema/codec.ts";
import { type EvidenceFile, evidenceFileSchema } from "../schema/evidence-file.ts";
import { bundleFormatVersion, type Manifest, manifestSchema } from "../schema/manifest.ts";
import { type PlanRecord, planRecordSchema } from "../schema/plan.ts";
import { type RunMetadata, runMetadataSchema } from "../schema/run-metadata.ts";
import { type ScoreRecord, scoreRecordSchema } from "../schema/score.ts";
import { type Summary, summarySchema } from "../schema/summary.ts";
import { type TaskRecord, taskRecordSchema } from "../schema/task.ts";
import { type TrialRecord, trialRecordSchema } from "../schema/trial.ts";
import { sha256Hex } from "../support/digest.ts";
import { type JsonObject, parseJson } from "../support/json.ts";
import { type BundleFile, bundleFiles } from "./layout.ts";

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
      );
    }
    const manifest = decode(manifestSchema, await readDocument(dir, "manifest", files), "run.json");
    if ((manifest.schemaVersion ?? 1) > bundleFormatVersion) {
      throw new AssayError(
        "ASSAY_BUNDLE_VERSION",
        `"${dir}" has bundle format ${manifest.schemaVersion}, this Assay reads up to ${bundleFormatVersion}`,
      );
    }
    return new BundleReader(dir, manifest, files);
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

  evidenceFiles(): AsyncIterable<EvidenceFile> {
    return this.#rows("evidence", evidenceFileSchema);
  }

  async metadata(): Promise<RunMetadata> {
    return decode(
      runMetadataSchema,
      await readDocument(this.dir, "metadata", this.#files),
      "metadata.json",
    );
  }

  async summary(): Promise<Summary> {
    return decode(
      summarySchema,
      await readDocument(this.dir, "summary", this.#files),
      "summary.json",
    );
  }

  /** Null for bundles of other writers. */
  async plan(): Promise<PlanRecord | null> {
    if (!(await this.has("plan"))) return null;
    return decode(planRecordSchema, await readDocument(this.dir, "plan", this.#files), "plan.json");
  }

  /** The provenance statement as it is stored, or null. */
  async provenance(): Promise<JsonObject | null> {
    return (await this.has("provenance"))
      ? ((await readDocument(this.dir, "provenance", this.#files)) as JsonObject)
      : null;
  }

  /** `sha256:<hex>` of provenance.json, or null. */
  async digest(): Promise<string | null> {
    if (!(await this.has("provenance"))) return null;
    return `sha256:${sha256Hex(await this.#files.readRegular(path.join(this.dir, bundleFiles.provenance)))}`;
  }

  async has(role: BundleFile): Promise<boolean> {
    return (await this.#files.stat(path.join(this.dir, bundleFiles[role])))?.kind === "file";
  }

  async *#rows<T extends z.ZodType>(role: BundleFile, schema: T): AsyncGenerator<z.output<T>> {
    if (!(await this.has(role))) return;
    let line = 0;
    for await (const text of this.#files.readLines(path.join(this.dir, bundleFiles[role]))) {
      line += 1;
      if (text.trim() === "") continue;
      const source = `${bundleFiles[role]}:${line}`;
      yield decode(
        schema,
        damagedUnless(() => parseJson(text, source)),
        source,
      );
    }
  }
}

async function readDocument(dir: string, role: BundleFile, files: FileStore): Promise<unknown> {
  const bytes = await files.readRegular(path.join(dir, bundleFiles[role]));
  return damagedUnless(() => parseJson(new TextDecoder().decode(bytes), bundleFiles[role]));
}

function damagedUnless<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new AssayError("ASSAY_BUNDLE_DAMAGED", messageOf(cause), { cause });
  }
}

function decode<T extends z.ZodType>(schema: T, wire: unknown, source: string): z.output<T> {
  return damagedUnless(() => fromWire(schema, wire, { source, code: "ASSAY_BUNDLE_DAMAGED" }));
}
