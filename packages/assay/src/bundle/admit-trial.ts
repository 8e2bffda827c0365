import path from "node:path";

import type { FileStore } from "../contracts/files.ts";
import type { Redactor } from "../contracts/redactor.ts";
import type { Trial, TrialAttempt } from "../contracts/runner.ts";
import { type AttemptRecord, attemptRecordSchema } from "../schema/attempt.ts";
import { parseValue } from "../schema/codec.ts";
import type { EvidenceSet } from "../schema/evidence.ts";
import type { EvidenceFile } from "../schema/evidence-file.ts";
import { type TrialRecord, trialRecordSchema } from "../schema/trial.ts";
import { boundTrial, hasBoundedTexts } from "./bounds/bound-trial.ts";
import { cleanRow, type RowKind } from "./bounds/clean-row.ts";
import { importEvidence } from "./evidence-import/evidence-import.ts";
import { defaultImportLimits, EvidenceStore } from "./evidence-import/evidence-store.ts";
import type { ImportRoot } from "./evidence-import/import-root.ts";
import { trialFolder } from "./layout.ts";

/** Where a trial stands in its run. */
export interface AdmissionPlace {
  readonly taskIndex: number;
  /** Attempts at the trial that are in the ledger already. */
  readonly earlierAttempts: number;
}

export interface Admission extends AdmissionPlace {
  /** Directories whose files may be imported. */
  readonly roots: readonly ImportRoot[];
  /** Folders that other trials are taking at this moment. */
  readonly claimed: Set<string>;
}

export interface AdmissionTools {
  readonly bundleDir: string;
  readonly files: FileStore;
  readonly redactor: Redactor;
}

export interface AdmittedTrial {
  readonly record: TrialRecord;
  /** The record as it is stored. */
  readonly row: string;
  readonly attempts: readonly AttemptRecord[];
  readonly files: readonly EvidenceFile[];
}

/** Redacts a trial and imports its evidence, that of earlier attempts too. */
export async function admitTrial(
  trial: Trial,
  admission: Admission,
  tools: AdmissionTools,
): Promise<AdmittedTrial> {
  const { attempts = [], trialIndex, scratchDirectory: _scratch, ...record } = trial;
  const { redactor } = tools;
  const ids = { taskId: redactor.text(trial.taskId), trialId: redactor.text(trial.id) };
  const sets = [record.evidence, ...attempts.slice(0, -1).map(({ evidence }) => evidence ?? null)];
  const { evidence, files } = sets.every((set) => set === null)
    ? { evidence: null, files: [] }
    : await importSets(sets, { ...admission, ...ids }, tools);
  const clean = cleanRow({ ...record, evidence }, trialRow, redactor);
  return {
    ...clean,
    attempts: ledgerOf(attempts, clean.record).map((attempt, index) =>
      attemptRecord(attempt, {
        taskId: ids.taskId,
        trialId: ids.trialId,
        trialIndex,
        attemptIndex: admission.earlierAttempts + index,
      }),
    ),
    files,
  };
}

/** The last attempt answers for a trial that did not end well only because what it gave cannot be kept. */
function ledgerOf(
  attempts: readonly TrialAttempt[],
  { status, error }: TrialRecord,
): readonly TrialAttempt[] {
  if (status !== "partial" || error?.type !== "OutputTooLarge") return attempts;
  const last = attempts.length - 1;
  return attempts.map((attempt, index) =>
    index === last ? { ...attempt, fault: "target", errorType: error.type } : attempt,
  );
}

/** Key by key: adding keys to the copy of an object this large would cost more than to write its row. */
function attemptRecord(
  attempt: TrialAttempt,
  { taskId, trialId, trialIndex, attemptIndex }: AttemptPlace,
): AttemptRecord {
  const record: Record<string, unknown> = { taskId, trialIndex, trialId, attemptIndex };
  for (const [key, value] of Object.entries(attempt)) if (key !== "evidence") record[key] = value;
  const source = `attempt ${attemptIndex} of trial "${trialId}"`;
  return parseValue(attemptRecordSchema, record, { source });
}

const trialRow: RowKind<TrialRecord> = {
  schema: trialRecordSchema,
  hasBoundedTexts,
  bound: boundTrial,
};

type Ids = Pick<AttemptRecord, "taskId" | "trialId">;
type AttemptPlace = Pick<AttemptRecord, "taskId" | "trialId" | "trialIndex" | "attemptIndex">;

/** The first set is the one that counts; the others are of earlier attempts, first to last. */
async function importSets(
  [counting = null, ...earlier]: readonly (EvidenceSet | null)[],
  { taskIndex, taskId, trialId, roots, claimed }: Admission & Ids,
  { bundleDir, files, redactor }: AdmissionTools,
): Promise<{ readonly evidence: EvidenceSet | null; readonly files: readonly EvidenceFile[] }> {
  const tools = { files, redactor, limits: defaultImportLimits };
  const store = new EvidenceStore({ bundleDir, taskId, trialId }, tools);
  const folder = await claimFolder(trialFolder({ taskIndex, taskId, trialId }), claimed, {
    bundleDir,
    files,
  });
  try {
    const evidence = await importEvidence(counting, { roots, folder }, { ...tools, store });
    for (const [index, set] of earlier.entries()) {
      const place = { roots, folder: `${folder}/attempts/${index}` };
      await importEvidence(set, place, { ...tools, store });
    }
    await store.sync();
    return { evidence, files: store.files };
  } finally {
    claimed.delete(folder);
  }
}

/** Two trials may have one id, at the latest when a secret is taken out of it: each gets a folder of its own. */
async function claimFolder(
  wanted: string,
  claimed: Set<string>,
  { bundleDir, files }: Pick<AdmissionTools, "bundleDir" | "files">,
): Promise<string> {
  for (let number = 1; ; number += 1) {
    const folder = number === 1 ? wanted : `${wanted}-${number}`;
    if (claimed.has(folder)) continue;
    claimed.add(folder);
    if ((await files.stat(path.join(bundleDir, folder))) === null) return folder;
    claimed.delete(folder);
  }
}
