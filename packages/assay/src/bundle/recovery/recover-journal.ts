import path from "node:path";
import type { z } from "zod";

import type { FileStore } from "../../contracts/files.ts";
import { type AttemptRecord, attemptRecordSchema } from "../../schema/attempt.ts";
import { evidenceFileSchema } from "../../schema/evidence-file.ts";
import { scoreRecordSchema } from "../../schema/score.ts";
import { trialRecordSchema } from "../../schema/trial.ts";
import { type JournalStarts, type JournalStream, journalStreams } from "../journal.ts";
import { bundleFiles, evidenceFolder } from "../layout.ts";
import { type TrialOrder, trialOrderOf } from "../trial-order.ts";
import { assertAllThere, evidenceGone, isWhole, unledgered, unnamed } from "./damages.ts";
import { EvidenceFolders, PathSet, removeUnusedFolders, unnamedFiles } from "./evidence-folders.ts";
import { rewriteRows } from "./rewrite-rows.ts";
import { RowScan, type ScannedRow, scanRows } from "./scan-rows.ts";
import { type Place, type PlanShape, TrialBook } from "./trial-book.ts";

export interface RecoveryRequest {
  readonly dir: string;
  readonly shape: PlanShape;
  /** Told of each attempt in the ledger, lost and superseded ones too. */
  readonly onAttempt: (attempt: AttemptRecord) => void;
  /** Awaited before a file is written anew. */
  readonly onRewrite: () => Promise<void>;
}

/** A journal as it can be gone on with. */
export interface Recovery {
  readonly book: TrialBook;
  readonly order: TrialOrder;
  readonly starts: JournalStarts;
  /** What was cut off or left out, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * Makes a journal whole again after any end of its writer: torn lines are cut off, scores without a trial and trials
 * without their evidence are left out, and of two rows of one trial or score the later one stays. What no end of a writer
 * can have left is `ASSAY_BUNDLE_DAMAGED`; nothing is written before all is looked at.
 */
export async function recoverJournal(
  request: RecoveryRequest,
  files: FileStore,
): Promise<Recovery> {
  return await new JournalRecovery(request, files).recover();
}

class JournalRecovery {
  readonly #dir: string;
  readonly #files: FileStore;
  readonly #book: TrialBook;
  readonly #onAttempt: RecoveryRequest["onAttempt"];
  readonly #onRewrite: RecoveryRequest["onRewrite"];
  readonly #scans: Record<JournalStream, RowScan> = {
    evidence: new RowScan(),
    trials: new RowScan(),
    scores: new RowScan(),
    attempts: new RowScan(),
  };
  readonly #folders = new EvidenceFolders();
  readonly #notes: string[] = [];
  #order: TrialOrder = () => null;
  #hasEvidenceRoot: boolean | null = null;

  constructor({ dir, shape, onAttempt, onRewrite }: RecoveryRequest, files: FileStore) {
    this.#dir = dir;
    this.#files = files;
    this.#book = new TrialBook(shape);
    this.#onAttempt = onAttempt;
    this.#onRewrite = onRewrite;
  }

  async recover(): Promise<Recovery> {
    await assertAllThere(this.#dir, this.#files);
    this.#order = await trialOrderOf(this.#attempts());
    await this.#readTrials();
    const hasLeftEvidence = await this.#checkEvidence();
    await this.#readScores();
    if (hasLeftEvidence) await this.#leaveOutEvidence();
    await removeUnusedFolders(this.#dir, this.#folders, this.#files);
    await this.#tidyTrials();
    await this.#tidyScores();
    this.#noteTornLines();
    return {
      book: this.#book,
      order: this.#order,
      starts: this.#scans,
      notes: this.#notes,
    };
  }

  #noteTornLines(): void {
    for (const stream of journalStreams) {
      const { isTorn, tornLines, tornBytes } = this.#scans[stream];
      if (!isTorn) continue;
      this.#notes.push(
        `torn lines at the end of ${bundleFiles[stream]}: ${tornLines}, ${tornBytes} bytes, cut off`,
      );
    }
  }

  async *#attempts(): AsyncGenerator<AttemptRecord> {
    for await (const { row } of this.#rows("attempts", attemptRecordSchema)) {
      const place = this.#book.placeOf(row.taskId, row.trialIndex);
      if (place !== null) this.#book.addAttempt(place);
      this.#onAttempt(row);
      yield row;
    }
  }

  #placeOf(taskId: string, trialId: string): Place | null {
    return this.#book.placeOf(taskId, this.#order(taskId, trialId));
  }

  async #readTrials(): Promise<void> {
    for await (const { row: trial, ordinal } of this.#rows("trials", trialRecordSchema)) {
      const place = this.#placeOf(trial.taskId, trial.id);
      if (place === null || this.#book.attemptCount(place) === 0)
        throw unledgered(this.#dir, trial);
      this.#book.addTrial(place, ordinal, trial);
      this.#folders.use(trial, place);
    }
  }

  /**
   * Its files and their rows were synced before the row of a trial: one that lacks some lost them since, and is done again.
   * Whether any row has to be left out.
   */
  async #checkEvidence(): Promise<boolean> {
    const lost = new Set<Place>();
    let isAnyLeft = false;
    for await (const { row } of this.#rows("evidence", evidenceFileSchema)) {
      const place = this.#placeOf(row.taskId, row.trialId);
      if (place === null || !this.#book.hasTrial(place)) {
        isAnyLeft = true;
        continue;
      }
      await this.#assertEvidenceRoot();
      isAnyLeft = !this.#folders.addFile(row.path, place) || isAnyLeft;
      if (!(await isWhole(this.#dir, row, this.#files))) lost.add(place);
    }
    await this.#addTrialsWithoutRows(lost);
    for (const place of lost) this.#book.dropTrial(place);
    this.#folders.drop(lost);
    if (lost.size > 0)
      this.#notes.push(`trials without all of their evidence: ${lost.size}, to be done again`);
    return isAnyLeft || lost.size > 0;
  }

  /** A torn end takes rows of evidence, and a kill while a failed trial is done again may leave only some of the new ones. */
  async #addTrialsWithoutRows(lost: Set<Place>): Promise<void> {
    for await (const { file, place } of unnamedFiles(this.#dir, this.#folders, this.#files)) {
      if (!(this.#scans.evidence.isTorn || lost.has(place) || this.#book.hasFailed(place)))
        throw unnamed(this.#dir, file);
      lost.add(place);
    }
  }

  /** With it the evidence of all trials would be gone: they were paid for, and it may come back. */
  async #assertEvidenceRoot(): Promise<void> {
    this.#hasEvidenceRoot ??=
      (await this.#files.stat(path.join(this.#dir, evidenceFolder)))?.kind === "directory";
    if (!this.#hasEvidenceRoot) throw evidenceGone(this.#dir);
  }

  /** Rows of trials that do not count, and second rows of one file. */
  async #leaveOutEvidence(): Promise<void> {
    const kept = new PathSet();
    await this.#rewrite("evidence", evidenceFileSchema, (row) => {
      const place = this.#placeOf(row.taskId, row.trialId);
      return place !== null && this.#book.hasTrial(place) && kept.add(row.path);
    });
  }

  async #tidyTrials(): Promise<void> {
    const left = this.#scans.trials.rowCount - this.#book.trialCount;
    if (left === 0) return;
    this.#notes.push(`rows of trials that do not count: ${left}, left out`);
    await this.#rewrite("trials", trialRecordSchema, (trial, ordinal) => {
      const place = this.#placeOf(trial.taskId, trial.id);
      return place !== null && this.#book.countsTrial(place, ordinal);
    });
  }

  async #readScores(): Promise<void> {
    for await (const { row, ordinal } of this.#rows("scores", scoreRecordSchema)) {
      const place = this.#placeOf(row.taskId, row.trialId);
      if (place !== null) this.#book.addScore(place, row, ordinal);
    }
  }

  async #tidyScores(): Promise<void> {
    const left = this.#scans.scores.rowCount - this.#book.scoreCount;
    if (left === 0) return;
    this.#notes.push(`scores without a trial that counts: ${left}, left out`);
    await this.#rewrite("scores", scoreRecordSchema, (score, ordinal) => {
      const place = this.#placeOf(score.taskId, score.trialId);
      return place !== null && this.#book.countsScore(place, score.metricType, ordinal);
    });
  }

  async #rewrite<T extends z.ZodType>(
    stream: JournalStream,
    schema: T,
    isKept: (row: z.output<T>, ordinal: number) => boolean,
  ): Promise<void> {
    await this.#onRewrite();
    const { tornLines, tornBytes } = this.#scans[stream];
    const kept = await rewriteRows({ dir: this.#dir, stream, schema }, this.#files, isKept);
    this.#scans[stream] = Object.assign(kept, { tornLines, tornBytes });
  }

  #rows<T extends z.ZodType>(
    stream: JournalStream,
    schema: T,
  ): AsyncIterable<ScannedRow<z.output<T>>> {
    return scanRows(
      path.join(this.#dir, bundleFiles[stream]),
      schema,
      this.#files,
      this.#scans[stream],
    );
  }
}
