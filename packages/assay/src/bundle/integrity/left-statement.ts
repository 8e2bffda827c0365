import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import type { Manifest } from "../../schema/manifest.ts";
import { bytesOf } from "../decode-files.ts";
import { bundleFiles } from "../layout.ts";
import type { FileDamage } from "./file-damage.ts";
import { readSeal } from "./seal.ts";
import { SubjectChecks } from "./subject-checks.ts";

/**
 * What differs from the statement that lies in the directory of a run that has not ended. A start that goes on takes the
 * statement of an earlier end away before it changes a file, and one that ends writes its own when all others are whole:
 * whatever ends it, the files are what a statement says that is there. Throws `ASSAY_BUNDLE_DAMAGED` when it cannot be read.
 */
export async function damagesOfLeftStatement(
  dir: string,
  files: FileStore,
): Promise<readonly FileDamage[]> {
  const file = path.join(dir, bundleFiles.provenance);
  if ((await files.stat(file)) === null) return [];
  return await new SubjectChecks(dir, readSeal(dir, await bytesOf(file, files)), files).damages();
}

/** Why a manifest that says that its run goes on cannot be right; null when it can. Each start is open until the run is sealed. */
export function whyNotRunning({ status, invocations = [] }: Manifest): string | null {
  const ended = invocations.at(-1)?.finishedAt;
  if (status !== "running" || typeof ended !== "string") return null;
  return `it says that the run goes on, and that its last start ended at ${ended}`;
}
