import { createHash } from "node:crypto";
import path from "node:path";
import type { z } from "zod";
import type { Clock } from "../contracts/clock.ts";
import type { FileStore } from "../contracts/files.ts";
import type { Redactor } from "../contracts/redactor.ts";
import type { Trial } from "../contracts/runner.ts";
import { AssayError } from "../errors/assay-error.ts";
import { type AttemptRecord, attemptRecordSchema } from "../schema/attempt.ts";
import { toWire } from "../schema/codec.ts";
import { evidenceFileSchema } from "../schema/evidence-file.ts";
import { type PlanRecord, planRecordSchema } from "../schema/plan.ts";
import { type RunMetadata, runMetadataSchema } from "../schema/run-metadata.ts";
import { type ScoreRecord, scoreRecordSchema } from "../schema/score.ts";
import { type Summary, summarySchema } from "../schema/summary.ts";
import { type TaskRecord, taskRecordSchema } from "../schema/task.ts";
import { type TrialRecord, trialRecordSchema } from "../schema/trial.ts";
import { formatDocument, formatRow, type JsonObject, parseJson } from "../support/json.ts";
import { defaultImportLimits, type ImportedEvidence, importEvidence } from "./evidence-import.ts";
import { Journal } from "./journal.ts";
import { type BundleFile, bundleFiles, subjectFiles, trialFolder } from "./layout.ts";
import { type ManifestFacts, writeManifest } from "./manifest.ts";

export interface DoorTools {
  readonly files: FileStore;
  readonly clock: Clock;
  readonly redactor: Redactor;
  /** Directories whose files may be imported as evidence besides the run's scratch. */
  readonly importRoots: readonly string[];
}

/** A trial as it was stored: redacted, its evidence inside the bundle. */
export interface StoredTrial {
  readonly record: TrialRecord;
  readonly trialIndex: number;
  readonly attempts: readonly AttemptRecord[];
  readonly evidence: ImportedEvidence;
}

/** The only way into a run directory: every byte that is stored passes here, is redacted first, then written. */
export class WriteDoor {
  readonly dir: string;
  readonly #tools: DoorTools;
  readonly #scratch: string;
  readonly #journal: Journal;

  private constructor(dir: string, scratch: string, tools: DoorTools, journal: Journal) {
    this.dir = dir;
    this.#scratch = scratch;
    this.#tools = tools;
    this.#journal = journal;
  }

  /** Creates the run directory. One that holds anything of a run already is refused and not touched. */
  static async create(dir: string, scratch: string, tools: DoorTools): Promise<WriteDoor> {
    await refuseExisting(dir, tools.files);
    await tools.files.makeDirectory(dir);
    return new WriteDoor(dir, scratch, tools, await Journal.open(dir, tools));
  }

  async begin(start: {
    readonly manifest: ManifestFacts;
    readonly plan: PlanRecord;
    readonly tasks: readonly TaskRecord[];
  }): Promise<void> {
    await writeManifest(this.dir, start.manifest, this.#tools);
    await this.#document("plan", planRecordSchema, start.plan);
    const rows = start.tasks.map((task) => `${this.#row(taskRecordSchema, task)}\n`);
    await this.#tools.files.writeAtomic(this.#path("tasks"), rows.join(""));
  }

  /** Redacts a trial and imports its evidence; nothing is in the journal yet. */
  async admit(trial: Trial, taskIndex: number): Promise<StoredTrial> {
    const { attempts = [], trialIndex, scratchDirectory: _scratch, ...record } = trial;
    const { redactor } = this.#tools;
    const folder = trialFolder({
      taskIndex,
      taskId: redactor.text(trial.taskId),
      trialId: redactor.text(trial.id),
    });
    const place = {
      bundleDir: this.dir,
      roots: [this.#scratch, ...this.#tools.importRoots],
      taskId: redactor.text(trial.taskId),
      trialId: redactor.text(trial.id),
    };
    const tools = { ...this.#tools, limits: defaultImportLimits };
    const evidence = await importEvidence(record.evidence, { ...place, folder }, tools);
    const files = [...evidence.files];
    for (const [attemptIndex, attempt] of attempts.slice(0, -1).entries()) {
      const earlier = await importEvidence(
        attempt.evidence ?? null,
        { ...place, folder: `${folder}/attempts/${attemptIndex}` },
        tools,
      );
      files.push(...earlier.files);
    }
    const clean = redactor.json({
      ...record,
      evidence: null,
    } as unknown as JsonObject) as unknown as TrialRecord;
    return {
      record: { ...clean, evidence: evidence.evidence },
      trialIndex,
      attempts: attempts.map(({ evidence: _evidence, ...attempt }, attemptIndex) =>
        attemptRecordSchema.parse({
          ...attempt,
          taskId: place.taskId,
          trialId: place.trialId,
          trialIndex,
          attemptIndex,
        }),
      ),
      evidence: { evidence: evidence.evidence, files },
    };
  }

  /** Resolves when the trial is durable. */
  async appendTrial(trial: StoredTrial): Promise<void> {
    await this.#journal.append({
      evidence: trial.evidence.files.map((file) => this.#row(evidenceFileSchema, file)),
      trials: [this.#row(trialRecordSchema, trial.record)],
      attempts: trial.attempts.map((attempt) => this.#row(attemptRecordSchema, attempt)),
    });
  }

  /** Resolves when the scores are durable. */
  async appendScores(scores: readonly ScoreRecord[]): Promise<void> {
    await this.#journal.append({
      scores: scores.map((score) => this.#row(scoreRecordSchema, score)),
    });
  }

  /** Waits while too much is unflushed. */
  room(): Promise<void> {
    return this.#journal.room();
  }

  closeJournal(): Promise<void> {
    return this.#journal.close();
  }

  async writeSummary(summary: Summary): Promise<void> {
    await this.#document("summary", summarySchema, summary);
  }

  async writeMetadata(metadata: RunMetadata): Promise<void> {
    await this.#document("metadata", runMetadataSchema, metadata);
  }

  /** SHA-256 of each data file, for the statement. */
  async subjects(): Promise<readonly { readonly name: string; readonly sha256: string }[]> {
    const result: { name: string; sha256: string }[] = [];
    for (const role of subjectFiles) {
      const hash = createHash("sha256");
      for await (const chunk of this.#tools.files.readChunks(this.#path(role))) hash.update(chunk);
      result.push({ name: bundleFiles[role], sha256: hash.digest("hex") });
    }
    return result;
  }

  /** Writes the statement and gives its SHA-256: the digest of the bundle. */
  async writeProvenance(statement: JsonObject): Promise<string> {
    const text = formatDocument(this.#tools.redactor.json(statement));
    await this.#tools.files.writeAtomic(this.#path("provenance"), text);
    return createHash("sha256").update(text).digest("hex");
  }

  async seal(facts: ManifestFacts): Promise<void> {
    await writeManifest(this.dir, facts, this.#tools);
    await this.#tools.files.syncDirectory(this.dir);
  }

  #path(role: BundleFile): string {
    return path.join(this.dir, bundleFiles[role]);
  }

  async #document(role: BundleFile, schema: z.ZodType, value: unknown): Promise<void> {
    const wire = toWire(schema, value) as JsonObject;
    await this.#tools.files.writeAtomic(
      this.#path(role),
      formatDocument(this.#tools.redactor.json(wire)),
    );
  }

  #row(schema: z.ZodType, value: unknown): string {
    const row = formatRow(toWire(schema, value));
    if (!this.#tools.redactor.mayContain(row)) return row;
    return formatRow(this.#tools.redactor.json(parseJson(row, "row") as JsonObject));
  }
}

/** Throws `ASSAY_OUTPUT_EXISTS` when the directory holds anything of a run. */
export async function refuseExisting(dir: string, files: FileStore): Promise<void> {
  const facts = await files.stat(dir);
  if (facts === null) return;
  if (facts.kind !== "directory") {
    throw new AssayError(
      "ASSAY_OUTPUT_EXISTS",
      `the output "${dir}" is there already and is no directory`,
    );
  }
  const present = await files.list(dir);
  const ours = present.filter(
    (name) => Object.values(bundleFiles).includes(name as never) || name === "evidence",
  );
  if (ours.length > 0) {
    throw new AssayError(
      "ASSAY_OUTPUT_EXISTS",
      `the output directory "${dir}" already holds a run (${ours[0]})`,
    );
  }
}
