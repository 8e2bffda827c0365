import path from "node:path";
import type { Clock } from "../contracts/clock.ts";
import type { FileStore } from "../contracts/files.ts";
import type { ProcessIdentities } from "../contracts/owner.ts";
import type { Redactor } from "../contracts/redactor.ts";
import { type AttemptRecord, attemptRecordSchema } from "../schema/attempt.ts";
import { evidenceFileSchema } from "../schema/evidence-file.ts";
import type { PlanRecord } from "../schema/plan.ts";
import { type RunMetadata, runMetadataSchema } from "../schema/run-metadata.ts";
import type { ScoreRecord } from "../schema/score.ts";
import type { Summary } from "../schema/summary.ts";
import { type TaskRecord, taskRecordSchema } from "../schema/task.ts";
import type { TrialRecord } from "../schema/trial.ts";
import { sha256HexOf } from "../support/digest.ts";
import { isPending } from "../support/is-pending.ts";
import type { JsonObject } from "../support/json.ts";
import {
  type AdmissionPlace,
  type AdmissionTools,
  type AdmittedTrial,
  admitTrial,
  type ReceivedTrial,
} from "./admit-trial.ts";
import { scoreRow } from "./bounds/bound-score.ts";
import { type CleanRow, cleanRow } from "./bounds/clean-row.ts";
import { Claim } from "./claim.ts";
import type { ImportRoot } from "./evidence-import/import-root.ts";
import { Journal, type JournalStarts, type JournalStream, journalStreams } from "./journal.ts";
import { type BundleFile, bundleFiles, derivedFiles, subjectFiles } from "./layout.ts";
import { amendManifest, type Checkpoint, type ManifestFacts, writeManifest } from "./manifest.ts";
import { refuseExisting } from "./output-directory.ts";
import { checkCheckpoint, checkpointOf } from "./recovery/checkpoint.ts";
import { alteredMeanwhile } from "./recovery/damages.ts";
import { type Recovery, type RecoveryRequest, recoverJournal } from "./recovery/recover-journal.ts";
import { removeTemporaries } from "./recovery/remove-temporaries.ts";
import type { PlanShape } from "./recovery/trial-book.ts";
import { RowWriter } from "./row-writer.ts";
import { type Sign, StoredDocuments } from "./stored-documents.ts";

export interface DoorTools {
  readonly files: FileStore;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly identities: ProcessIdentities;
  /** The run's token: marks the claim of the run directory. */
  readonly token: string;
  /** Directories whose files may be imported as evidence besides the run's scratch. */
  readonly importRoots: readonly ImportRoot[];
}

/** A trial as it is stored: redacted, its evidence inside the bundle. */
export interface StoredTrial {
  readonly record: TrialRecord;
  readonly attempts: readonly AttemptRecord[];
  readonly rows: StoredTrialRows;
}

export interface StoredTrialRows {
  readonly evidence: readonly string[];
  readonly trials: readonly string[];
  readonly attempts: readonly string[];
}

/** A score as it is stored: redacted, and within its bounds. */
export type StoredScore = CleanRow<ScoreRecord>;

/** The only way into a run directory: every byte that is stored passes here, is redacted first, then written. */
export class WriteDoor {
  readonly dir: string;
  readonly #tools: DoorTools;
  readonly #claim: Claim;
  readonly #documents: StoredDocuments;
  readonly #rows: RowWriter;
  /** SHA-256 of what was written whole: documents, and files of the journal that were written anew since it was closed. */
  readonly #written = new Map<BundleFile, string>();
  /** What the journal of a run that goes on holds. */
  #starts: JournalStarts | null = null;
  /** Open from `begin` on. */
  #journal: Journal | null = null;
  readonly #admission: AdmissionTools;

  private constructor(dir: string, scratch: string, claim: Claim, tools: DoorTools) {
    this.dir = dir;
    this.#claim = claim;
    this.#tools = tools;
    const { files, redactor, importRoots } = tools;
    const rows = new RowWriter(redactor);
    this.#rows = rows;
    this.#documents = new StoredDocuments(dir, { files, redactor, rows });
    const roots = [{ dir: scratch }, ...importRoots];
    this.#admission = { bundleDir: dir, files, redactor, rows, roots, claimed: new Set() };
  }

  /** Creates the run directory. One that holds anything of a run already is refused and not touched. */
  static async create(dir: string, scratch: string, tools: DoorTools): Promise<WriteDoor> {
    await refuseExisting(dir, tools.files);
    await tools.files.makeDirectory(dir);
    await tools.files.syncDirectory(path.dirname(dir));
    const claim = await Claim.take(dir, { token: tools.token, takesOver: false }, tools);
    try {
      // Another run may have begun and ended here since the first look.
      await refuseExisting(dir, tools.files);
      // One may have been killed here before its first file was whole.
      await removeTemporaries(dir, tools.files);
    } catch (thrown) {
      await claim.release();
      throw thrown;
    }
    return new WriteDoor(dir, scratch, claim, tools);
  }

  /**
   * Opens the directory of a run that ended before its plan. Throws `ASSAY_RUN_CLAIMED` when its process lives, or may
   * live and `takesOver` is not set.
   */
  static async reopen(
    dir: string,
    scratch: string,
    { takesOver }: { readonly takesOver: boolean },
    tools: DoorTools,
  ): Promise<WriteDoor> {
    const claim = await Claim.take(dir, { token: tools.token, takesOver }, tools);
    return new WriteDoor(dir, scratch, claim, tools);
  }

  /** Makes the journal of a reopened run whole, before `begin`. */
  async recover({
    checkpoint,
    ...request
  }: JournalRequest & { readonly checkpoint: Checkpoint | null }): Promise<Recovery> {
    const { files } = this.#tools;
    if (checkpoint !== null) await checkCheckpoint(this.dir, checkpoint, files);
    await removeTemporaries(this.dir, files);
    const recovery = await this.#recoverJournal(request);
    this.#starts = recovery.starts;
    return recovery;
  }

  /** A file that is written anew begins as no checkpoint says any more. */
  async #recoverJournal(request: JournalRequest): Promise<Recovery> {
    const { files } = this.#tools;
    const onRewrite = () => amendManifest(this.dir, files, { checkpoint: undefined });
    return await recoverJournal({ dir: this.dir, onRewrite, ...request }, files);
  }

  /**
   * The manifest is the first file. What was to be done is on disk before the first trial. What an earlier end made of
   * the rows is taken away: it is made again.
   */
  async begin(start: {
    readonly manifest: ManifestFacts;
    readonly plan: PlanRecord;
    readonly tasks: readonly TaskRecord[];
  }): Promise<void> {
    const checkpoint = this.#starts === null ? {} : { checkpoint: checkpointOf(this.#starts) };
    await writeManifest(this.dir, { ...start.manifest, ...checkpoint }, this.#tools);
    if (this.#starts !== null) await this.#removeDerived();
    this.#written.set("plan", await this.#documents.writePlan(start.plan));
    this.#written.set(
      "tasks",
      await this.#documents.writeRows("tasks", taskRecordSchema, start.tasks),
    );
    this.#journal = await Journal.open(this.dir, this.#tools, this.#starts);
  }

  /** The statement first, and for good before another file is changed: what is there beside one is what it says. */
  async #removeDerived(): Promise<void> {
    const { files } = this.#tools;
    for (const name of derivedFiles) await files.remove(path.join(this.dir, name));
    await files.syncDirectory(this.dir);
  }

  /** Redacts a trial and imports its evidence, at once when there is none; nothing is in the journal yet. */
  admit(trial: ReceivedTrial, place: AdmissionPlace): StoredTrial | Promise<StoredTrial> {
    const admitted = admitTrial(trial, place, this.#admission);
    return isPending(admitted) ? admitted.then((one) => this.#stored(one)) : this.#stored(admitted);
  }

  #stored({ record, row, attempts, files }: AdmittedTrial): StoredTrial {
    const rows = {
      evidence: files.map((file) => this.#rows.row(evidenceFileSchema, file)),
      trials: [row],
      attempts: attempts.map((attempt) => this.#rows.row(attemptRecordSchema, attempt)),
    };
    return { record, attempts, rows };
  }

  /** Resolves, and calls `report`, when the trial is durable. A failure is told by `failure` as well. */
  appendTrial({ rows }: StoredTrial, report?: () => void): Promise<void> {
    return this.#openJournal().append(rows, report);
  }

  /** Redacts a score, and makes a failed one of it when its outputs are too large; nothing is in the journal yet. */
  admitScore(score: ScoreRecord): StoredScore {
    return cleanRow(score, scoreRow, this.#rows);
  }

  /** The same for a score. */
  appendScore({ row }: StoredScore, report?: () => void): Promise<void> {
    return this.#openJournal().append({ scores: [row] }, report);
  }

  /** Rows of the ledger for trials that are in the journal already. Resolves when they are durable. */
  appendAttempts(attempts: readonly AttemptRecord[]): Promise<void> {
    return this.#openJournal().append({
      attempts: attempts.map((attempt) => this.#rows.row(attemptRecordSchema, attempt)),
    });
  }

  /** Resolves with what was thrown when rows could not be written; nothing that comes later is then. */
  get failure(): Promise<unknown> {
    return this.#openJournal().failure;
  }

  /** Too much is unflushed: whoever can wait for `room` does. */
  get isFull(): boolean {
    return this.#journal?.isFull === true;
  }

  async room(): Promise<void> {
    await this.#journal?.room();
  }

  async closeJournal(): Promise<void> {
    await this.#journal?.close();
  }

  /** After the journal is closed: leaves the rows that count, each once. */
  async tidy(shape: PlanShape): Promise<void> {
    for (const stream of journalStreams) await this.#assertAsWritten(stream);
    const { starts } = await this.#recoverJournal({ shape, onAttempt: () => {} });
    for (const stream of journalStreams)
      this.#written.set(stream, starts[stream].hash.copy().digest("hex"));
  }

  async writeSummary(summary: Summary): Promise<void> {
    await this.#documents.writeSummary(summary);
  }

  async writeMetadata(metadata: RunMetadata): Promise<void> {
    const sha256 = await this.#documents.write("metadata", runMetadataSchema, metadata);
    this.#written.set("metadata", sha256);
  }

  /**
   * SHA-256 of each data file, for the statement. Throws `ASSAY_BUNDLE_DAMAGED` when one does not hold what was written to
   * it: somebody else wrote there while the run went on. That is not sealed, and stands in the manifest from then on.
   */
  async subjects(): Promise<readonly { readonly name: string; readonly sha256: string }[]> {
    const result: { name: string; sha256: string }[] = [];
    for (const role of subjectFiles)
      result.push({ name: bundleFiles[role], sha256: await this.#assertAsWritten(role) });
    return result;
  }

  async #assertAsWritten(role: BundleFile): Promise<string> {
    const file = this.#path(role);
    const sha256 = await sha256HexOf(this.#tools.files.readChunks(file, { reuse: true }));
    const written =
      this.#written.get(role) ?? (isStream(role) ? this.#openJournal().sha256(role) : sha256);
    if (sha256 === written) return sha256;
    await amendManifest(this.dir, this.#tools.files, { altered_files: [bundleFiles[role]] });
    throw alteredMeanwhile(this.dir, role);
  }

  /** Writes the statement and its signed envelope, and gives the SHA-256 of both: the first is the digest of the bundle. */
  async writeProvenance(
    statement: JsonObject,
    sign: Sign | null,
  ): Promise<Pick<ManifestFacts, "provenanceSha256" | "signatureSha256">> {
    return await this.#documents.writeProvenance(statement, sign);
  }

  /** Signs the statement that is there, of which the caller knows that it is whole. */
  async signAgain(sign: Sign): Promise<void> {
    const signature_sha256 = await this.#documents.signAgain(sign);
    await amendManifest(this.dir, this.#tools.files, { signature_sha256 });
  }

  /** The manifest is the last file. */
  async seal(facts: ManifestFacts): Promise<void> {
    await writeManifest(this.dir, facts, this.#tools);
  }

  /** Lets others write here. */
  async release(): Promise<void> {
    await this.#claim.release();
  }

  #openJournal(): Journal {
    if (this.#journal === null) throw new Error("the run has not begun");
    return this.#journal;
  }

  #path(role: BundleFile): string {
    return path.join(this.dir, bundleFiles[role]);
  }
}

type JournalRequest = Pick<RecoveryRequest, "shape" | "onAttempt">;

function isStream(role: BundleFile): role is JournalStream {
  return (journalStreams as readonly string[]).includes(role);
}
