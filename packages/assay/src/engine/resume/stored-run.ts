import path from "node:path";

import { journalStreams } from "../../bundle/journal.ts";
import { type BundleFile, bundleFiles } from "../../bundle/layout.ts";
import { BundleReader } from "../../bundle/read-bundle.ts";
import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { PlanRecord } from "../../schema/plan.ts";
import type { RunOptions } from "../api.ts";
import type { Platform } from "../platform.ts";

/** A run directory that may be gone on with. */
export interface StoredRun {
  readonly reader: BundleReader;
  readonly plan: PlanRecord;
}

/** Throws `user` errors when there is nothing to go on with, and `ASSAY_BUNDLE_DAMAGED` when the plan cannot be read. */
export async function storedRun(
  { workDir }: Pick<RunOptions, "workDir">,
  { files, cwd }: Pick<Platform, "files" | "cwd">,
): Promise<StoredRun> {
  if (workDir === undefined || workDir === null) {
    throw new AssayError("ASSAY_CONFIG_INVALID", "to resume a run, its directory must be given", {
      remedy: "Give the directory of the run: `--out DIR`, or `workDir`.",
    });
  }
  const dir = path.resolve(cwd, workDir);
  await assertBegun(dir, files);
  const reader = await BundleReader.open(dir, files);
  if (reader.isOwn) await assertPlanned(dir, files);
  const plan = await reader.plan();
  if (plan !== null) return { reader, plan };
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `the run in "${dir}" cannot be resumed: another tool wrote it, and it has no plan.json`,
    { data: { path: dir }, remedy: "Run the suite again, in another directory." },
  );
}

/** The manifest is on disk before any other file: without it nothing was run, or it was taken away. */
async function assertBegun(dir: string, files: FileStore): Promise<void> {
  if (await isThere(dir, "manifest", files)) return;
  await assertNoneLeft(dir, "manifest", { others: ["plan", ...journalStreams], files });
  const why =
    (await files.stat(dir)) === null
      ? "there is no such directory"
      : "it has no run.json, so that none was begun there";
  throw new AssayError("ASSAY_BUNDLE_NOT_FOUND", `there is no run in "${dir}" to resume: ${why}`, {
    data: { path: dir },
    remedy: "Leave out --resume to begin it there, or give the directory of the run: `--out DIR`.",
  });
}

/** The plan is on disk before any other file but the manifest. */
async function assertPlanned(dir: string, files: FileStore): Promise<void> {
  if (await isThere(dir, "plan", files)) return;
  await assertNoneLeft(dir, "plan", { others: journalStreams, files });
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `the run in "${dir}" ended before its plan was written: nothing of it was run, and there is nothing to resume`,
    {
      data: { path: dir },
      remedy: "Remove the directory, and start the run again without --resume.",
    },
  );
}

async function isThere(dir: string, role: BundleFile, files: FileStore): Promise<boolean> {
  return (await files.stat(path.join(dir, bundleFiles[role]))) !== null;
}

/** What is written after a file cannot be there without it. */
async function assertNoneLeft(
  dir: string,
  missing: BundleFile,
  { others, files }: { readonly others: readonly BundleFile[]; readonly files: FileStore },
): Promise<void> {
  for (const role of others) {
    if (!(await isThere(dir, role, files))) continue;
    throw new AssayError(
      "ASSAY_BUNDLE_DAMAGED",
      `the run in "${dir}" is damaged: ${bundleFiles[missing]} is missing, and ${bundleFiles[role]} is there`,
      {
        data: { path: dir, file: bundleFiles[missing] },
        remedy: "Bring it back as it was, then resume; nothing was changed.",
      },
    );
  }
}
