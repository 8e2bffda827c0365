import path from "node:path";

import { realPlaceOf, refuseInsideBundle } from "../bundle/enclosing-bundle.ts";
import { refuseExisting } from "../bundle/output-directory.ts";
import type { FileStore } from "../contracts/files.ts";
import { AssayError } from "../errors/assay-error.ts";
import { newToken } from "../support/ids.ts";
import { isBelow } from "../support/paths.ts";
import type { RunOptions } from "./api.ts";
import type { Platform } from "./platform.ts";

/** Where a run is written. */
export interface RunDirectory {
  readonly path: string;
  /** A private temporary place, until the result is persisted. */
  readonly isTemporary: boolean;
}

/** A directory that cannot be taken is refused before any tool is asked. */
export async function refuseOutput(options: RunOptions, platform: Platform): Promise<void> {
  const given = givenDirectory(options, platform);
  if (given === null) return;
  await refuseFileOnTheWay(given, platform.files);
  await refuseExisting(given, platform.files);
  await refuseInsideBundle(given, platform.files);
}

/** The nearest parent that exists must be a directory, or nothing can be made below it. */
async function refuseFileOnTheWay(given: string, files: FileStore): Promise<void> {
  let parent = path.dirname(given);
  while ((await files.stat(parent)) === null && parent !== path.dirname(parent))
    parent = path.dirname(parent);
  const facts = await files.stat(parent);
  if (facts === null || facts.kind === "directory" || facts.kind === "link") return;
  throw new AssayError(
    "ASSAY_OUTPUT_EXISTS",
    `the output "${given}" cannot be made: "${parent}" is no directory`,
    { data: { path: parent } },
  );
}

/**
 * The files, but no walk through a folder that the run is written into: what is digested as a part of it would be
 * another thing after its first row.
 */
export function filesOutsideOutput(options: RunOptions, platform: Platform): FileStore {
  const given = givenDirectory(options, platform);
  const { files } = platform;
  if (given === null) return files;
  // The same for all folders, and nothing is written before the last of them.
  let place: Promise<string> | null = null;
  return {
    ...files,
    async *walk(root, how) {
      place ??= realPlaceOf(given, files);
      const [output, walked] = await Promise.all([place, realPlaceOf(root, files)]);
      if (output === walked || isBelow(walked, output)) throw insideInput(given, root);
      yield* files.walk(root, how);
    },
  };
}

function insideInput(output: string, folder: string): AssayError {
  return new AssayError(
    "ASSAY_OUTPUT_UNUSABLE",
    `the output directory "${output}" lies inside of "${folder}", whose content is part of the run`,
    { data: { path: output, folder }, remedy: "Give a directory outside of it with --out." },
  );
}

/** Makes the directory of a run and its first files. What cannot be written then costs nothing but another directory. */
export async function beginOutput<T>(begin: () => Promise<T>): Promise<T> {
  return await unusable(begin, {});
}

/** The same of the directory of a run that goes on: it is needed as it is. */
export async function reopenOutput<T>(reopen: () => Promise<T>): Promise<T> {
  const remedy = "Make it writable again, then resume: what was reported as done is kept.";
  return await unusable(reopen, { remedy });
}

async function unusable<T>(work: () => Promise<T>, more: { readonly remedy?: string }): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!AssayError.isInstance(thrown) || thrown.code !== "ASSAY_STORE_FAILED") throw thrown;
    const { message, data } = thrown;
    throw new AssayError("ASSAY_OUTPUT_UNUSABLE", message, { cause: thrown, data, ...more });
  }
}

export async function runDirectory(options: RunOptions, platform: Platform): Promise<RunDirectory> {
  const given = givenDirectory(options, platform);
  if (given !== null) return { path: given, isTemporary: false };
  const scratch = await platform.createScratch({
    token: newToken(),
    runId: "in-memory",
    isRemovedAtExit: true,
  });
  return { path: path.join(scratch.path, "bundle"), isTemporary: true };
}

function givenDirectory({ workDir }: RunOptions, { cwd }: Platform): string | null {
  return workDir === undefined || workDir === null ? null : path.resolve(cwd, workDir);
}
