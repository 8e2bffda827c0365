import path from "node:path";

import { BundleReader } from "../../bundle/read-bundle.ts";
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
  const reader = await BundleReader.open(dir, files);
  const plan = await reader.plan();
  if (plan !== null) return { reader, plan };
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    `the run in "${dir}" cannot be resumed: it has no plan.json`,
    { data: { path: dir }, remedy: "Run the suite again, in another directory." },
  );
}
