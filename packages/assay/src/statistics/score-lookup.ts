import { AssayError } from "../errors/assay-error.ts";
import type { Aggregate, Summary } from "../schema/summary.ts";
import { suggestName } from "../support/names.ts";

const listed = 10;
const suggested = 3;

/**
 * The aggregate of this name; the first one where names repeat.
 * Throws `ASSAY_NAME_UNKNOWN` with close matches, or with the names there are.
 */
export function scoreByName(summary: Summary, name: string): Aggregate {
  const aggregates = summary.scores.scores;
  const found = aggregates.find((aggregate) => aggregate.name === name);
  if (found !== undefined) return found;
  const names = [...new Set(aggregates.map((aggregate) => aggregate.name))];
  throw new AssayError("ASSAY_NAME_UNKNOWN", `no score is named "${name}"${hintFor(name, names)}`, {
    data: { name },
    remedy: "Use one of the names of the summary's aggregate scores.",
  });
}

function hintFor(name: string, names: readonly string[]): string {
  if (names.length === 0) return ": the summary has no aggregate scores";
  const matches = closeMatches(name, names);
  if (matches.length === 0) {
    const more = names.length > listed ? ` (${names.length - listed} more)` : "";
    return `; there are: ${names.slice(0, listed).join(", ")}${more}`;
  }
  const quoted = matches.map((match) => `"${match}"`).join(" or ");
  const others = names.length - matches.length;
  if (others === 0) return `: did you mean ${quoted}?`;
  return `: did you mean ${quoted}? There ${others === 1 ? "is 1 other aggregate" : `are ${others} other aggregates`}.`;
}

/** The name that is spelt most alike, and those of which the given one is the last part. */
function closeMatches(name: string, names: readonly string[]): string[] {
  const alike = suggestName(name, names);
  const longer = names.filter((known) => known.endsWith(`.${name}`));
  return [...new Set(alike === null ? longer : [alike, ...longer])].slice(0, suggested);
}
