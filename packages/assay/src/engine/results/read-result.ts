import path from "node:path";

import { BundleReader } from "../../bundle/read-bundle.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { JsonObject } from "../../support/json.ts";
import type { EvalResult } from "../api.ts";
import type { Platform } from "../platform.ts";
import { storedResult } from "./stored-result.ts";

/** A bundle that was read: the result, and the statement of what made it. */
export interface Bundle extends EvalResult {
  /** The provenance statement as stored; null in bundles of other writers. */
  readonly provenance: JsonObject | null;
}

/** Reads a bundle from anywhere. Throws `ASSAY_BUNDLE_NOT_FOUND`, `_UNFINISHED`, `_DAMAGED` or `_VERSION`. */
export async function readResult(
  dir: string,
  platform: Pick<Platform, "files" | "cwd">,
): Promise<Bundle> {
  const reader = await BundleReader.open(path.resolve(platform.cwd, dir), platform.files);
  assertEnded(reader);
  const result = await storedResult(reader, { platform, isTemporary: false });
  return { ...result, provenance: await reader.provenance() };
}

export function assertEnded({ dir, manifest }: BundleReader): void {
  if (manifest.status !== "running") return;
  throw new AssayError(
    "ASSAY_BUNDLE_UNFINISHED",
    `the run in "${dir}" is unfinished; its manifest was last written at ${manifest.updatedAt ?? "an unknown time"}`,
    { data: { run_id: manifest.runId } },
  );
}
