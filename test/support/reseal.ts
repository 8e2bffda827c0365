import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { selfDigest } from "../../packages/assay/src/bundle/manifest.ts";
import type { JsonObject } from "../../packages/assay/src/support/json.ts";

/**
 * Makes all digests of a bundle anew, the way a forger would, so that a test of what its files hold is none of whether
 * they were altered. Files that are not there keep their digest, and documents that are no objects are left alone.
 */
export function reseal(dir: string): void {
  const provenance = read(dir, "provenance.json");
  const statement = objectOf(provenance);
  if (Array.isArray(statement?.["subject"])) {
    for (const subject of statement["subject"]) {
      const content = read(dir, subject.name);
      if (content !== null) subject.digest.sha256 = sha256(content);
    }
    writeFileSync(join(dir, "provenance.json"), JSON.stringify(statement));
  }
  resealManifest(dir);
}

/** Names provenance.json and run.json as they are by now. */
export function resealManifest(dir: string): void {
  const manifest = objectOf(read(dir, "run.json"));
  const provenance = read(dir, "provenance.json");
  if (manifest === null) return;
  if (provenance !== null) manifest["provenance_sha256"] = sha256(provenance);
  manifest["self_digest"] = selfDigest(manifest as JsonObject);
  writeFileSync(join(dir, "run.json"), JSON.stringify(manifest));
}

function read(dir: string, name: string): Buffer | null {
  try {
    return readFileSync(join(dir, name));
  } catch {
    return null;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: it is whatever the test made of it
function objectOf(content: Buffer | null): Record<string, any> | null {
  try {
    const value: unknown = JSON.parse(String(content));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function sha256(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
