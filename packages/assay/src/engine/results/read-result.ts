import path from "node:path";

import { BundleReader } from "../../bundle/read-bundle.ts";
import type { RunMetadata } from "../../schema/run-metadata.ts";
import type { JsonObject } from "../../support/json.ts";
import type { EvalResult } from "../api.ts";
import { lineageText, storedParents } from "../lineage.ts";
import type { Platform } from "../platform.ts";
import { parentFactsOf } from "../stored-facts.ts";
import { storedResult } from "./stored-result.ts";
import { assertEnded } from "./unfinished.ts";

/** A bundle that was read: the result, and the statement of what made it. */
export interface Bundle extends EvalResult {
  /** The provenance statement as stored; null in bundles that are not sealed. */
  readonly provenance: JsonObject | null;
  /** Why nothing of the bundle can be verified; null when it is sealed: then it has digests. */
  readonly unsealedBecause: string | null;
  /** Where its trials come from when it did not produce them, a sentence for each step, the nearest first. */
  readonly lineage: readonly string[];
  /** What of it, as far as it was read, an older generation of the format lacks or holds otherwise, a sentence each. */
  readonly gaps: readonly string[];
  /**
   * Compares every data file with its digest, and evidence too when asked; nothing where there are no digests. Throws
   * `ASSAY_BUNDLE_DAMAGED`, which names each file that was altered, is missing or was added.
   */
  assertUnaltered(options?: { readonly withEvidence?: boolean }): Promise<void>;
}

/** What is stored of what made a bundle, without its results. */
export type BundleProvenance = Pick<Bundle, "provenance" | "lineage">;

type ReadPlatform = Pick<Platform, "files" | "cwd" | "identities">;

/**
 * Reads a bundle from anywhere. What is read of a sealed bundle is compared with its digests as it is read; rows after
 * the last one. Throws `ASSAY_BUNDLE_NOT_FOUND`, `_UNFINISHED`, `_DAMAGED` or `_VERSION`.
 */
export async function readResult(dir: string, platform: ReadPlatform): Promise<Bundle> {
  const reader = await openEnded(dir, platform);
  const { unsealedBecause } = reader;
  return await reader.reading(async () => {
    const result = await storedResult(reader, { platform, isTemporary: false });
    return {
      ...result,
      ...(await provenanceOf(reader, result.metadata)),
      unsealedBecause,
      get gaps() {
        return reader.gaps;
      },
      assertUnaltered: (options) => reader.assertUnaltered(options),
    };
  });
}

/** The same of what made it alone: the summary and the tasks of a large run take hundreds of megabytes. */
export async function readProvenanceOf(
  dir: string,
  platform: ReadPlatform,
): Promise<BundleProvenance> {
  const reader = await openEnded(dir, platform);
  return await reader.reading(async () => await provenanceOf(reader, await reader.metadata()));
}

async function openEnded(dir: string, platform: ReadPlatform): Promise<BundleReader> {
  const reader = await BundleReader.open(path.resolve(platform.cwd, dir), platform.files);
  await assertEnded(reader, platform);
  return reader;
}

async function provenanceOf(
  reader: BundleReader,
  { target }: RunMetadata,
): Promise<BundleProvenance> {
  return {
    provenance: await reader.provenance(),
    lineage: lineageText(target, storedParents(await parentFactsOf(reader))),
  };
}
