import path from "node:path";

import { type Holder, readHolder } from "../../bundle/claim.ts";
import { type BundleFile, bundleFiles } from "../../bundle/layout.ts";
import type { BundleReader } from "../../bundle/read-bundle.ts";
import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { formatInstant } from "../../support/timestamps.ts";
import type { Platform } from "../platform.ts";

type UnfinishedPlatform = Pick<Platform, "files" | "identities">;

interface State {
  readonly state: string;
  readonly remedy: string;
}

interface UnfinishedState extends State {
  readonly lastWrite: string;
}

/** Throws `ASSAY_BUNDLE_UNFINISHED`, which says whether the run goes on, when it last wrote and what to do. */
export async function assertEnded(
  { dir, manifest }: BundleReader,
  platform: UnfinishedPlatform,
): Promise<void> {
  if (manifest.status !== "running") return;
  const { lastWrite, state, remedy } = await stateOfUnfinished({ dir, manifest }, platform);
  throw new AssayError(
    "ASSAY_BUNDLE_UNFINISHED",
    `the run in "${dir}" is unfinished, last write at ${lastWrite}; ${state}`,
    { data: { run_id: manifest.runId, last_write: lastWrite }, remedy },
  );
}

/** Of a run whose manifest says that it runs: when it last wrote, and whether the process that wrote it lives. */
export async function stateOfUnfinished(
  { dir, manifest }: Pick<BundleReader, "dir" | "manifest">,
  { files, identities }: UnfinishedPlatform,
): Promise<UnfinishedState> {
  const holder = await readHolder(dir, { files, identities }).catch(() => null);
  const lastWrite = (await lastWriteOf(dir, files)) ?? manifest.updatedAt ?? "an unknown time";
  return { lastWrite, ...stateOf(holder, dir) };
}

function stateOf(holder: Holder | null, dir: string): State {
  const resume = `\`assay run <suite> --out ${dir} --resume\``;
  const remedy = `Finish it with ${resume}.`;
  if (holder === null) return { state: "no process writes it any more", remedy };
  const { pid, hostname } = holder.record;
  const who = `process ${pid} on "${hostname}"`;
  switch (holder.liveness) {
    case "alive":
      return { state: `${who} writes it`, remedy: "Wait for its end." };
    case "dead":
      return { state: `${who}, which wrote it, is dead`, remedy };
    case "elsewhere":
      return {
        state: `it cannot be seen from here whether ${who}, which writes it, lives`,
        remedy: `Wait for its end. When it is dead, finish it with ${resume} and --take-over.`,
      };
  }
}

/** By the clock of the file system; null when none of the files is there any more. */
async function lastWriteOf(dir: string, files: FileStore): Promise<string | null> {
  let latestMs: number | null = null;
  for (const role of Object.keys(bundleFiles) as BundleFile[]) {
    const facts = await files.stat(path.join(dir, bundleFiles[role]));
    if (facts !== null) latestMs = Math.max(latestMs ?? 0, facts.modifiedMs);
  }
  return latestMs === null ? null : formatInstant(new Date(latestMs));
}
