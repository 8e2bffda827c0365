import path from "node:path";

import type { FileStore } from "../contracts/files.ts";
import type { Redactor } from "../contracts/redactor.ts";
import type { TrialAttempt } from "../contracts/runner.ts";
import type { AttemptRecord } from "../schema/attempt.ts";
import type { EvidenceSet } from "../schema/evidence.ts";
import type { EvidenceFile } from "../schema/evidence-file.ts";
import { type TrialRecord, trialRecordSchema } from "../schema/trial.ts";
import { boundTrial, hasBoundedTexts } from "./bounds/bound-trial.ts";
import { cleanRow, type RowKind } from "./bounds/clean-row.ts";
import { importEvidence } from "./evidence-import/evidence-import.ts";
import { defaultImportLimits, EvidenceStore } from "./evidence-import/evidence-store.ts";
import type { ImportRoot } from "./evidence-import/import-root.ts";
import { trialFolder } from "./layout.ts";
import type { RowWriter } from "./row-writer.ts";

/** A trial that came in the right shape. Evidence refs are absolute paths, or URIs. */
export interface ReceivedTrial {
  readonly record: TrialRecord;
  readonly trialIndex: number;
  /** Every try, in order; at least one. */
  readonly attempts: readonly TrialAttempt[];
  /** Removed once the evidence has been imported. */
  readonly scratchDirectory: string | null;
}

/** Where a trial stands in its run. */
export interface AdmissionPlace {
  readonly taskIndex: number;
  /** Attempts at the trial that are in the ledger already. */
  readonly earlierAttempts: number;
}

export interface AdmissionTools {
  readonly bundleDir: string;
  readonly files: FileStore;
  readonly redactor: Redactor;
  readonly rows: RowWriter;
  /** Directories whose files may be imported. */
  readonly roots: readonly ImportRoot[];
  /** Folders of trials whose evidence is being imported. */
  readonly claimed: Set<string>;
}

export interface AdmittedTrial {
  readonly record: TrialRecord;
  /** The record as it is stored. */
  readonly row: string;
  readonly attempts: readonly AttemptRecord[];
  readonly files: readonly EvidenceFile[];
}

/** Redacts a trial and imports its evidence, that of earlier attempts too. At once when there is none. */
export function admitTrial(
  trial: ReceivedTrial,
  place: AdmissionPlace,
  tools: AdmissionTools,
): AdmittedTrial | Promise<AdmittedTrial> {
  const { record, attempts } = trial;
  const sets = [record.evidence, ...attempts.slice(0, -1).map(({ evidence }) => evidence ?? null)];
  if (sets.every((set) => set === null)) return admitted(trial, nothingImported, place, tools);
  const { taskIndex } = place;
  return importSets(sets, { taskIndex, ...idsOf(record, tools.redactor) }, tools).then((imported) =>
    admitted(trial, imported, place, tools),
  );
}

function admitted(
  { record: given, trialIndex, attempts }: ReceivedTrial,
  { evidence, files }: Imported,
  { earlierAttempts }: AdmissionPlace,
  { rows }: AdmissionTools,
): AdmittedTrial {
  const whole = evidence === given.evidence ? given : { ...given, evidence };
  const { record, row } = cleanRow(whole, trialRow, rows);
  const { taskId, id: trialId } = record;
  const records = ledgerOf(attempts, record).map((attempt, index) => {
    const attemptIndex = earlierAttempts + index;
    return attemptRecord(attempt, { taskId, trialId, trialIndex, attemptIndex });
  });
  return { record, row, attempts: records, files };
}

/** As they will stand in the record. */
function idsOf({ taskId, id }: TrialRecord, redactor: Redactor): Ids {
  return { taskId: redactor.text(taskId), trialId: redactor.text(id) };
}

interface Imported {
  readonly evidence: EvidenceSet | null;
  readonly files: readonly EvidenceFile[];
}

const nothingImported: Imported = { evidence: null, files: [] };

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

/** Name by name: an object of this size that is made of spreads costs more than to write its row. */
function attemptRecord(
  attempt: TrialAttempt,
  { taskId, trialId, trialIndex, attemptIndex }: AttemptPlace,
): AttemptRecord {
  return {
    taskId,
    trialIndex,
    trialId,
    attemptIndex,
    cause: attempt.cause,
    fault: attempt.fault,
    errorType: attempt.errorType ?? null,
    startedAt: attempt.startedAt,
    queueMs: attempt.queueMs ?? null,
    durationMs: attempt.durationMs,
    phasesMs: attempt.phasesMs ?? {},
    requestedModel: attempt.requestedModel ?? null,
    servedModel: attempt.servedModel ?? null,
    promptTokens: attempt.promptTokens ?? null,
    completionTokens: attempt.completionTokens ?? null,
    costUsd: attempt.costUsd ?? null,
    cacheReadTokens: attempt.cacheReadTokens ?? null,
    imageDigest: attempt.imageDigest ?? null,
    cacheHit: attempt.cacheHit ?? null,
  };
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
  { taskIndex, taskId, trialId }: Ids & Pick<AdmissionPlace, "taskIndex">,
  { bundleDir, files, redactor, roots, claimed }: AdmissionTools,
): Promise<Imported> {
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
