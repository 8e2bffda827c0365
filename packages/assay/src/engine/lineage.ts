import type { ImportRoot } from "../bundle/evidence-import/import-root.ts";
import type { ParentRelation } from "../schema/provenance.ts";
import type { RunnerInfo } from "../schema/run-metadata.ts";
import type { JsonObject } from "../support/json.ts";

/** What the trials of a run come from, when it did not produce them itself. */
export interface Lineage {
  /** The nearest first, then what that one was made from. */
  readonly parents: readonly Parent[];
  /** Directories whose evidence may be imported besides the run's own scratch. */
  readonly evidenceRoots: readonly ImportRoot[];
}

export interface Parent {
  readonly relation: ParentRelation;
  readonly runId: string;
  /** The identity of what was evaluated then; it stays the answer to "what made these trials". */
  readonly target: RunnerInfo | null;
  /** `sha256:<hex>` of the parent's provenance.json; null for bundles of other writers. */
  readonly bundleDigest: string | null;
  readonly digests: JsonObject | null;
  /** Tasks of the suite of which the parent holds no trial. */
  readonly tasksLeftOut: number;
}

export const noLineage: Lineage = { parents: [], evidenceRoots: [] };
