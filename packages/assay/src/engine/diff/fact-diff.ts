import { isPlainObject, type JsonObject, type JsonValue, setOwn } from "../../support/json.ts";
import { compareText } from "../../support/natural-order.ts";
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
const maps = ["labels", "parameters"] as const;

const spent: ReadonlySet<string> = new Set(["usage", "cache"]);

/** What the settings turned out to mean, and where: tools, models, images, code, lockfile, commit, host, labels. */
export function diffFacts(a: JsonObject, b: JsonObject): readonly Difference[] {
  const isFact = (key: string) => !(told.has(key) || (maps as readonly string[]).includes(key));
  const keep = (facts: JsonObject) => keyedFiles(pick(facts, isFact));
  const named = maps.flatMap((key) =>
    mapDifferences(mapIn(a, key), mapIn(b, key)).map((difference) => ({
      ...difference,
      name: `${key}.${difference.name}`,
    })),
  );
  return [...treeDifferences(keep(a), keep(b)), ...named].sort((one, other) =>
    compareText(one.name, other.name),
  );
}

function mapIn(facts: JsonObject, key: string): JsonObject {
  const map = facts[key];
  return isPlainObject(map) ? (map as JsonObject) : {};
}

/** What the runs cost. */
export function diffSpending(a: JsonObject, b: JsonObject): readonly Difference[] {
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
