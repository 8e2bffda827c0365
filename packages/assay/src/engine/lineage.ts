import type { ImportRoot } from "../bundle/evidence-import/import-root.ts";
import type { ParentRelation } from "../schema/provenance.ts";
import type { RunnerInfo } from "../schema/run-metadata.ts";
import type { JsonObject } from "../support/json.ts";
import type { StoredFacts } from "./stored-facts.ts";

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

/** The runs that a stored bundle builds on, the nearest first. */
export function storedParents(parents: StoredFacts["parents"] = []): readonly Parent[] {
  return parents.map(parentOf);
}

function parentOf(stored: StoredFacts["parents"][number]): Parent {
  const { bundleDigest, digests } = stored;
  return {
    ...stored,
    bundleDigest: typeof bundleDigest === "string" ? bundleDigest : null,
    digests: isUnknown(digests) ? null : digests,
  };
}

function isUnknown(fact: JsonObject | { readonly unknown: string }): boolean {
  return Object.keys(fact).length === 1 && typeof fact["unknown"] === "string";
}

/** The nearest run that produced trials instead of taking those of another; null when none says what it evaluated. */
export function producerOf(parents: readonly Parent[]): Parent | null {
  return parents.find(({ target }) => target !== null && target.kind !== "imported") ?? null;
}

/** Where the trials of a run come from that did not produce them, a sentence for each step, the nearest first. */
export function lineageText(
  target: RunnerInfo | null,
  parents: readonly Parent[],
): readonly string[] {
  if (target?.kind !== "imported") return [];
  const steps = parents.filter(({ relation }) => relation !== "resumed");
  const sentences = steps.map((parent, index) => stepText(parent, steps[index - 1] ?? null));
  const origin = [target, ...steps.map((step) => step.target)].map(originText).findLast(isText);
  return origin === undefined ? sentences : [...sentences, origin];
}

function stepText(
  { relation, runId, target, bundleDigest, tasksLeftOut }: Parent,
  after: Parent | null,
): string {
  const subject = after === null ? "its trials" : `those of run ${after.runId}`;
  const verb = relation === "rescored" ? "were scored again" : "were imported";
  const leftOut =
    tasksLeftOut === 0
      ? ""
      : `, ${tasksLeftOut} ${tasksLeftOut === 1 ? "task" : "tasks"} of the suite without a trial left out`;
  const digest = bundleDigest === null ? "which has no digest" : `digest ${bundleDigest}`;
  return `${subject} ${verb} from run ${runId}${producedBy(target)}${leftOut}; ${digest}`;
}

function producedBy(target: RunnerInfo | null): string {
  if (target === null) return ", which does not say what it evaluated";
  if (target.kind === "imported") return "";
  return `, which ran ${target.name}${target.version === null ? "" : ` ${target.version}`}`;
}

function isText(text: string | null): text is string {
  return text !== null;
}

/** The place that imported trials name as theirs, when it is no bundle. */
function originText(target: RunnerInfo | null): string | null {
  if (target?.kind !== "imported") return null;
  const { source, sha256, bundle_digest: bundleDigest } = target.config;
  if (typeof source !== "string" || bundleDigest !== undefined) return null;
  return `they come from ${source}${typeof sha256 === "string" ? `, sha256:${sha256}` : ""}`;
}
