import { AssayError } from "../errors/assay-error.ts";
import type { RunMetadata } from "../schema/run-metadata.ts";
import { isPlainObject, setOwn } from "../support/json.ts";

/** What the oldest bundles have in place of `metadata.json`: free tags, and no identity of what was evaluated. */
export const benchmarkFile = "benchmark.json";

export function metadataOfBenchmark(wire: unknown): RunMetadata {
  if (!isPlainObject(wire))
    throw new AssayError("ASSAY_BUNDLE_DAMAGED", `${benchmarkFile} is no JSON object`);
  const labels: Record<string, string> = {};
  for (const key of Object.keys(wire)) {
    const value = wire[key];
    if (value !== null)
      setOwn(labels, key, typeof value === "string" ? value : JSON.stringify(value));
  }
  return { labels, target: null, startedAt: "", finishedAt: "", durationSec: 0, sdkVersion: null };
}
