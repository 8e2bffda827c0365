import type { BundleReader } from "../../bundle/read-bundle.ts";
import type { Manifest, RunStatus } from "../../schema/manifest.ts";
import type { PlanRecord } from "../../schema/plan.ts";
import type { RunMetadata, RunnerInfo } from "../../schema/run-metadata.ts";
import { isPlainObject, type JsonObject } from "../../support/json.ts";
import { lineageText, type Parent, producerOf, storedParents } from "../lineage.ts";
import { type StoredFacts, storedFactsOf } from "../stored-facts.ts";

/** What one of two bundles says of itself, without its rows. */
export interface DiffSide {
  readonly dir: string;
  readonly runId: string;
  readonly status: RunStatus;
  readonly statusCause: string | null;
  readonly suiteName: string | null;
  /** `sha256:<hex>`; null for bundles that are not sealed. */
  readonly bundleDigest: string | null;
  /** Why nothing of it is verified; null when its records are. */
  readonly unsealedBecause: string | null;
  readonly metadata: RunMetadata;
  readonly plan: PlanRecord | null;
  /** The predicate of its provenance in the wire form; null for bundles that have none. */
  readonly facts: JsonObject | null;
  readonly evaluated: Evaluated;
  /** Where its trials come from when it did not produce them, in words. */
  readonly lineage: readonly string[];
}

/** What produced the trials of a bundle, which may be a run that they were imported from. */
export interface Evaluated {
  /** Null when nothing says what it was. */
  readonly target: RunnerInfo | null;
  readonly settingsDigest: string | null;
  readonly origins: Readonly<Record<string, string>>;
  readonly roles: Readonly<Record<string, string>>;
}

export async function readSide(reader: BundleReader): Promise<DiffSide> {
  const { dir, manifest, unsealedBecause } = reader;
  const metadata = await reader.metadata();
  const stored = await storedFactsOf(reader);
  const parents = storedParents(stored?.parents);
  return {
    dir,
    ...runFacts(manifest),
    suiteName: stored?.run.suiteName ?? null,
    bundleDigest: await reader.digest(),
    unsealedBecause,
    metadata,
    plan: await reader.plan(),
    facts: factsOf(await reader.provenance()),
    evaluated: evaluatedBy(metadata, stored, parents),
    lineage: lineageText(metadata.target, parents),
  };
}

function runFacts({ runId, status = "completed", statusCause = null }: Manifest) {
  return { runId, status, statusCause };
}

function factsOf(statement: JsonObject | null): JsonObject | null {
  const predicate = statement?.["predicate"];
  return isPlainObject(predicate) ? (predicate as JsonObject) : null;
}

/** The nearest target that was no import; its digests stand beside it. */
function evaluatedBy(
  { target }: RunMetadata,
  stored: StoredFacts | null,
  parents: readonly Parent[],
): Evaluated {
  if (target?.kind !== "imported") {
    const { origins = {}, roles = {} } = stored?.runner ?? {};
    return { target, settingsDigest: settingsIn(stored?.digests), origins, roles };
  }
  const parent = producerOf(parents);
  const settingsDigest = settingsIn(parent?.digests);
  return { target: parent?.target ?? null, settingsDigest, origins: {}, roles: {} };
}

function settingsIn(digests: JsonObject | null | undefined): string | null {
  const settings = digests?.["settings"];
  return typeof settings === "string" ? settings : null;
}
