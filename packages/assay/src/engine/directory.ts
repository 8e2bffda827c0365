import path from "node:path";

import { newToken } from "../support/ids.ts";
import type { RunOptions } from "./api.ts";
import type { Platform } from "./platform.ts";

/** Where a run is written. */
export interface RunDirectory {
  readonly path: string;
  /** A private temporary place, until the result is persisted. */
  readonly isTemporary: boolean;
}

export async function runDirectory(
  { workDir }: RunOptions,
  platform: Platform,
): Promise<RunDirectory> {
  if (workDir !== undefined && workDir !== null)
    return { path: path.resolve(platform.cwd, workDir), isTemporary: false };
  // It stays until the process has ended; then it is a dead run's scratch, which `assay clean` removes.
  const scratch = await platform.createScratch({ token: newToken(), runId: "in-memory" });
  return { path: path.join(scratch.path, "bundle"), isTemporary: true };
}
