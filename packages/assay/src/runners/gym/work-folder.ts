import path from "node:path";

import type { RunContext } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { GymOptions } from "./options.ts";

export interface GymFolders {
  /** Files and logs of Gym. */
  readonly run: string;
  /** Evidence, on its way into the bundle. */
  readonly trials: string;
}

/** Folders of this start alone: what is kept lies where the options say. */
export async function makeFolders(
  options: Pick<GymOptions, "workDir">,
  context: Pick<RunContext, "baseDir" | "scratch" | "files">,
): Promise<GymFolders> {
  const { scratch, files } = context;
  let number = 1;
  while ((await files.stat(path.join(scratch, `gym-${number}`))) !== null) number += 1;
  const own = path.join(scratch, `gym-${number}`);
  const run = keptFolder(options, context) ?? path.join(own, "gym_run");
  const trials = path.join(own, "trials");
  for (const folder of [run, trials]) await files.makeDirectory(folder);
  return { run, trials };
}

function keptFolder(
  { workDir }: Pick<GymOptions, "workDir">,
  { baseDir }: Pick<RunContext, "baseDir">,
): string | null {
  return workDir === null ? null : path.join(path.resolve(baseDir, workDir), "gym_run");
}

/**
 * Gym starts the file of rollouts anew, but appends to that of failures: two runs in one folder would be mixed. Throws
 * `ASSAY_OUTPUT_EXISTS` when there are files of an earlier one.
 */
export async function refuseUsedFolder(
  options: Pick<GymOptions, "workDir">,
  context: Pick<RunContext, "baseDir" | "scratch" | "files">,
): Promise<void> {
  const folder = keptFolder(options, context);
  if (folder === null || (await context.files.stat(folder)) === null) return;
  const used = (await context.files.list(folder)).find((name) => /^rollouts.*\.jsonl$/.test(name));
  if (used === undefined) return;
  throw new AssayError(
    "ASSAY_OUTPUT_EXISTS",
    `gym: work_dir "${options.workDir}" was used before: it has "gym_run/${used}"`,
    { remedy: "Give another work_dir, also to a run that is resumed, or leave it out." },
  );
}
