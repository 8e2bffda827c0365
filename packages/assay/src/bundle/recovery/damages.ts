import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { EvidenceFile } from "../../schema/evidence-file.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { sha256HexOf } from "../../support/digest.ts";
import { journalStreams } from "../journal.ts";
import { type BundleFile, bundleFiles } from "../layout.ts";

/** All files of the journal are made together: one that is missing beside others with rows was taken away. */
export async function assertAllThere(dir: string, files: FileStore): Promise<void> {
  const facts = await Promise.all(
    journalStreams.map(async (stream) => ({
      name: bundleFiles[stream],
      sizeBytes: (await files.stat(path.join(dir, bundleFiles[stream])))?.sizeBytes ?? null,
    })),
  );
  const missing = facts.find(({ sizeBytes }) => sizeBytes === null);
  if (missing === undefined || facts.every(({ sizeBytes }) => (sizeBytes ?? 0) === 0)) return;
  throw damaged(dir, `${missing.name} is missing, and other files hold rows`, missing.name);
}

/** Attempts are synced before the trial that they gave. */
export function unledgered(dir: string, { taskId, id }: TrialRecord): AssayError {
  const what = `${bundleFiles.trials} holds trial "${id}" of task "${taskId}", and ${bundleFiles.attempts} no attempt at it`;
  return damaged(dir, what, bundleFiles.attempts);
}

export function evidenceGone(dir: string): AssayError {
  return damaged(dir, "its folder evidence/ is gone, or is none", "evidence");
}

export function unnamed(dir: string, file: string): AssayError {
  return damaged(dir, `no row of ${bundleFiles.evidence} names ${file}`, file);
}

/** Whether a file of evidence is there. One of the same size with other bytes was altered, which is no loss. */
export async function isWhole(dir: string, row: EvidenceFile, files: FileStore): Promise<boolean> {
  const file = path.join(dir, row.path);
  const facts = await files.stat(file);
  if (facts?.sizeBytes !== row.sizeBytes) return false;
  if (facts.kind === "link") return true;
  if (facts.kind !== "file") return false;
  if ((await sha256HexOf(files.readChunks(file, { below: dir }))) === row.sha256) return true;
  throw damaged(dir, `${row.path} is not what was stored`, row.path);
}

/** Somebody else wrote there, and that is not sealed. */
export function alteredMeanwhile(dir: string, role: BundleFile): AssayError {
  const file = bundleFiles[role];
  return new AssayError(
    "ASSAY_BUNDLE_DAMAGED",
    `"${file}" of the run directory "${dir}" was altered while the run went on, by the agent perhaps`,
    {
      data: { path: dir, file },
      remedy: "Run again in a directory that the agent cannot write; do not trust these results.",
    },
  );
}

function damaged(dir: string, what: string, file: string): AssayError {
  return new AssayError("ASSAY_BUNDLE_DAMAGED", `the run in "${dir}" is damaged: ${what}`, {
    data: { path: dir, file },
    remedy: "Bring it back as it was, then resume; nothing was changed.",
  });
}
