import { canonicalJson } from "../../support/canonical-json.ts";
import { sha256Hex, sha256HexOf } from "../../support/digest.ts";
import type { Seed } from "./seeds.ts";

/** Digest of the bytes of a workspace's seeds by their paths; null without any. */
export async function seedDigest(seeds: readonly Seed[]): Promise<string | null> {
  if (seeds.length === 0) return null;
  const digests: (readonly [string, string])[] = [];
  for (const { path, content } of seeds) {
    digests.push([path, await sha256HexOf(content.open())]);
  }
  return `sha256:${sha256Hex(canonicalJson(Object.fromEntries(digests)))}`;
}
