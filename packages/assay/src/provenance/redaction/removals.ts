import { asBytes, asText, formsOf, type Spelling } from "./forms.ts";
import { mayHoldPhrase, mayHoldToken, patternsIn } from "./patterns/find-patterns.ts";
import type { PatternMatch } from "./patterns/pattern-match.ts";
import { type FormSearch, type Match, searchFor } from "./search.ts";
import { searchForTorn, type TornSearch } from "./torn.ts";

/** What is looked for in one kind of text. */
export interface Searches {
  readonly whole: FormSearch;
  readonly torn: TornSearch;
  /** How the text is spelt. */
  readonly spell: Spelling;
}

export function searchesFor(values: readonly string[]): {
  readonly inText: Searches;
  readonly inBytes: Searches;
} {
  const inText = searches(values, asText);
  const isAscii = values.every((value) => /^\p{ASCII}*$/u.test(value));
  return { inText, inBytes: isAscii ? { ...inText, spell: asBytes } : searches(values, asBytes) };
}

function searches(values: readonly string[], spell: Spelling): Searches {
  const forms = values.flatMap((value) => formsOf(value, spell));
  return { whole: searchFor(forms), torn: searchForTorn(forms), spell };
}

const exactValue = "exact-value";
/** No piece of a secret and nothing that looks like a credential is shorter. */
const shortestPattern = 8;

/** What goes of the text before `limit`, by rule, in the order of the starts. They may overlap, and reach beyond the limit. */
export function removalsIn(
  text: string,
  searches: Searches,
  limit = text.length,
): readonly PatternMatch[] {
  const exact = exactRemovalsIn(text, searches, limit);
  const patterns = patternsIn(text, exact).filter(({ start }) => start < limit);
  if (patterns.length === 0) return exact;
  return [...exact, ...patterns].sort((a, b) => a.start - b.start);
}

/** The known secrets and their pieces that start before `limit`. They may reach beyond it. */
function exactRemovalsIn(
  text: string,
  { whole, torn, spell }: Searches,
  limit: number,
): readonly PatternMatch[] {
  const found: PatternMatch[] = [];
  const add = ({ start, end }: Match): void => {
    found.push({ rule: exactValue, start, end });
  };
  const pieces = torn.pieces(text, spell, limit);
  for (const piece of pieces) add(piece);
  let match = whole.next(text, 0, limit);
  while (match !== null) {
    add(match);
    match = whole.next(text, match.start + 1, limit);
  }
  return pieces.length === 0 ? found : found.sort((a, b) => a.start - b.start);
}

/** What no id is made of: marks of cuts and phrases have some of it. */
const beyondIds = /[^\w:-]/;

/** False when there is surely nothing to remove from a text, or from what was serialised as it. */
export function mayHold(serialized: string, { whole, torn }: Searches): boolean {
  if (serialized.length < Math.min(whole.shortest, shortestPattern)) return false;
  if (whole.next(serialized, 0, serialized.length) !== null) return true;
  if (mayHoldToken(serialized)) return true;
  return beyondIds.test(serialized) && (torn.mayHold(serialized) || mayHoldPhrase(serialized));
}
