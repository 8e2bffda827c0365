import type { RunnerInfo } from "../schema/run-metadata.ts";
import type { JsonObject } from "../support/json.ts";

/** What the trials of a run come from, when it did not produce them itself. */
export interface Lineage {
  readonly parents: readonly Parent[];
  /** Directories whose evidence may be imported besides the run's own scratch. */
  readonly evidenceRoots: readonly string[];
}

export interface Parent {
  readonly relation: "rescored" | "imported";
  readonly runId: string;
  /** The identity of what was evaluated then; it stays the answer to "what made these trials". */
  readonly target: RunnerInfo | null;
  /** `sha256:<hex>` of the parent's provenance.json; null for bundles of other writers. */
  readonly bundleDigest: string | null;
  readonly digests: JsonObject | null;
}

export const noLineage: Lineage = { parents: [], evidenceRoots: [] };
