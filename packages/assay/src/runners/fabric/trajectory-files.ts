import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { maxTrajectoryBytes, parseTrajectory } from "../../trajectory/read-trajectory.ts";
import type { UsageDraft } from "../define/usage.ts";
import type { FabricArtifact } from "./run-result.ts";

const trajectoryName = /(?:^|\/)trajectory-[^/]*\.atif\.json$/;

export interface FoundTrajectory {
  /** Null where there is none, or several of which none is named as the one. */
  readonly file: string | null;
  readonly count: number;
  readonly usage: UsageDraft | null;
}

/**
 * The trajectory of a trial: the artifact that the result names, else the only one in Relay's folder. To take one of
 * several would count too little, to sum them may count twice.
 */
export async function findTrajectory(
  relay: string,
  artifacts: readonly FabricArtifact[],
  files: FileStore,
): Promise<FoundTrajectory> {
  const found = await trajectoriesBelow(relay, files);
  const named = artifacts.find(({ kind, path: place }) => kind === "atif" && found.includes(place));
  const file = named?.path ?? (found.length === 1 ? (found[0] ?? null) : null);
  const usage = file === null ? null : await usageIn(file, files);
  return { file, count: found.length, usage };
}

async function trajectoriesBelow(folder: string, files: FileStore): Promise<readonly string[]> {
  if ((await files.stat(folder))?.kind !== "directory") return [];
  const found: string[] = [];
  for await (const { kind, path: place } of files.walk(folder, { onUnreadable: () => {} })) {
    if (kind === "file" && trajectoryName.test(place)) found.push(path.join(folder, place));
  }
  return found;
}

/** Null for what Relay had not finished writing, or what is no trajectory. */
async function usageIn(file: string, files: FileStore): Promise<UsageDraft | null> {
  try {
    const bytes = await files.readRegular(file, { maxBytes: maxTrajectoryBytes });
    const { usage } = parseTrajectory(bytes, { format: "atif", source: file });
    const { promptTokens, completionTokens, cachedTokens, costUsd } = usage;
    return { promptTokens, completionTokens, cacheReadTokens: cachedTokens, costUsd };
  } catch (thrown) {
    if (AssayError.isInstance(thrown)) return null;
    throw thrown;
  }
}
