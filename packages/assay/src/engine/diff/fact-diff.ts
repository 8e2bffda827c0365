import { isPlainObject, type JsonObject, type JsonValue, setOwn } from "../../support/json.ts";
import { compareText } from "../../support/natural-order.ts";
import type { DiffSide } from "./diff-side.ts";
import { type Difference, mapDifferences, treeDifferences } from "./differences.ts";

/** Facts that differ between any two runs, or that have a section of their own. All others are compared. */
const told: ReadonlySet<string> = new Set([
  "run",
  "runner",
  "digests",
  "tasks",
  "metrics",
  "invocations",
  "redactions",
  "parents",
  "time",
  "usage",
  "cache",
]);

/** Their keys are the user's own: none of them is a fact that is not known. */
const maps: ReadonlySet<string> = new Set(["labels", "parameters"]);

const spent: ReadonlySet<string> = new Set(["usage", "cache"]);

type Side = Pick<DiffSide, "facts" | "metadata">;

/** What the settings turned out to mean, and where: tools, models, images, code, lockfile, commit, host, labels. */
export function diffFacts(a: Side, b: Side): readonly Difference[] {
  const labels = mapDifferences(a.metadata.labels, b.metadata.labels);
  return [...recordedFacts(a, b), ...under("labels", labels)].sort((one, other) =>
    compareText(one.name, other.name),
  );
}

function recordedFacts({ facts: a }: Side, { facts: b }: Side): readonly Difference[] {
  if (a === null || b === null) return [];
  const isFact = (key: string) => !(told.has(key) || maps.has(key));
  const keep = (facts: JsonObject) => keyedFiles(pick(facts, isFact));
  const parameters = mapDifferences(mapIn(a, "parameters"), mapIn(b, "parameters"));
  return [...treeDifferences(keep(a), keep(b)), ...under("parameters", parameters)];
}

function under(section: string, differences: readonly Difference[]): readonly Difference[] {
  return differences.map(({ name, a, b }) => ({ name: `${section}.${name}`, a, b }));
}

function mapIn(facts: JsonObject, key: string): JsonObject {
  const map = facts[key];
  return isPlainObject(map) ? (map as JsonObject) : {};
}

/** What the runs cost. */
export function diffSpending({ facts: a }: Side, { facts: b }: Side): readonly Difference[] {
  if (a === null || b === null) return [];
  const keep = (facts: JsonObject) => pick(facts, (key) => spent.has(key));
  return treeDifferences(keep(a), keep(b));
}

function pick(facts: JsonObject, isKept: (key: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(facts).filter(([key]) => isKept(key)));
}

/** Files of code by their paths, so that each is compared with itself. */
function keyedFiles(facts: JsonObject): JsonObject {
  const { code_files: files } = facts;
  if (!Array.isArray(files)) return facts;
  const byPath: Record<string, JsonValue> = {};
  for (const file of files as readonly JsonValue[]) {
    const { path, sha256 } = isPlainObject(file) ? file : {};
    if (typeof path === "string" && typeof sha256 === "string")
      setOwn(byPath, path, `sha256:${sha256}`);
  }
  return { ...facts, code_files: byPath };
}
