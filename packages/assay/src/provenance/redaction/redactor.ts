import type { RedactionStream, Redactor } from "../../contracts/redactor.ts";
import type { JsonObject, JsonValue } from "../../support/json.ts";
import { asBytes, asText, formsOf, type Spelling } from "./forms.ts";
import { redactJson } from "./json-walk.ts";
import { redactSettings } from "./key-rules.ts";
import { type FormSearch, type Match, searchFor } from "./search.ts";
import { type KnownSecret, redactedMark, searchedValues } from "./secret.ts";
import { openRedactionStream } from "./stream.ts";
import { searchForTorn, type TornSearch } from "./torn.ts";

/**
 * A redactor for these secrets: their exact values in every form of `formsOf`, the pieces of them at the ends of a text
 * that was cut too early, and for settings the key rules.
 * Throws `ASSAY_SECRET_TOO_SHORT` for a value that cannot be told from the mark it is replaced by.
 */
export function createRedactor(options: { readonly secrets: readonly KnownSecret[] }): Redactor {
  const values = [...new Set(options.secrets.flatMap(searchedValues))];
  const inText = searchesFor(values, asText);
  const isAscii = values.every((value) => /^\p{ASCII}*$/u.test(value));
  const inBytes = isAscii ? inText : searchesFor(values, asBytes);
  const spelledAsNumber = new Set(values.filter((value) => /^[\d.]+$/.test(value)));
  const counts: Record<string, number> = {};

  const count = (rule: string): void => {
    counts[rule] = (counts[rule] ?? 0) + 1;
  };
  const countValue = (): void => count("exact-value");

  const text = (value: string): string => {
    const found = removalsIn(value, inText);
    if (found.length === 0) return value;
    let result = "";
    let copied = 0;
    for (const { start, end } of found) {
      if (start >= copied) {
        result += value.slice(copied, start) + redactedMark;
        countValue();
      }
      copied = Math.max(copied, end);
    }
    return result + value.slice(copied);
  };

  const scalar = (value: string | number): string | number => {
    if (typeof value === "string") return text(value);
    if (!spelledAsNumber.has(String(Math.abs(value)))) return value;
    countValue();
    return redactedMark;
  };

  return {
    text,
    json: <T extends JsonValue>(value: T): T => redactJson(value, scalar) as T,
    settings: (value: JsonObject): JsonObject =>
      redactJson(redactSettings(value, count), scalar) as JsonObject,
    stream: (): RedactionStream => openRedactionStream(inBytes, countValue),
    mayContain: inText.torn.mayHold,
    counts: () => ({ ...counts }),
  };
}

interface Searches {
  readonly whole: FormSearch;
  readonly torn: TornSearch;
}

function searchesFor(values: readonly string[], spell: Spelling): Searches {
  const forms = values.flatMap((value) => formsOf(value, spell));
  return { whole: searchFor(forms), torn: searchForTorn(forms) };
}

/** In the order of their starts; they may overlap. */
function removalsIn(text: string, { whole, torn }: Searches): readonly Match[] {
  const pieces = torn.pieces(text);
  const found = [...pieces];
  let match = whole.next(text, 0, text.length);
  while (match !== null) {
    found.push(match);
    match = whole.next(text, match.start + 1, text.length);
  }
  return pieces.length === 0 ? found : found.sort((a, b) => a.start - b.start);
}
