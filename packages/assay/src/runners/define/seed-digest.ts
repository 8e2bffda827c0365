import { createHash } from "node:crypto";

import { canonicalJson } from "../../support/canonical-json.ts";
import { sha256Hex } from "../../support/digest.ts";
import type { Seed } from "./seeds.ts";

/** Digest of the bytes of a workspace's seeds by their paths; null without any. */
export async function seedDigest(seeds: readonly Seed[]): Promise<string | null> {
  if (seeds.length === 0) return null;
  const digests: (readonly [string, string])[] = [];
  for (const { path, content } of seeds) {
    const hash = createHash("sha256");
    for await (const chunk of content.open()) hash.update(chunk);
    digests.push([path, hash.digest("hex")]);
  }
  return `sha256:${sha256Hex(canonicalJson(Object.fromEntries(digests)))}`;
}
