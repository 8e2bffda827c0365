import type { RedactionStream, Redactor } from "../../contracts/redactor.ts";
import type { JsonObject, JsonValue } from "../../support/json.ts";
import { redactJson } from "./json-walk.ts";
import { redactSettings } from "./key-rules.ts";
import { mayHold, removalsIn, searchesFor } from "./removals.ts";
import type { Match } from "./search.ts";
import { type KnownSecret, redactedMark, searchedValues } from "./secret.ts";
import { openRedactionStream } from "./stream.ts";

/**
 * A redactor for these secrets: their exact values in every form of `formsOf`, the pieces of them beside marks that say
 * where a text was cut, and for settings the key rules.
 * Throws `ASSAY_SECRET_TOO_SHORT` for a value that cannot be told from the mark it is replaced by.
 */
export function createRedactor(options: { readonly secrets: readonly KnownSecret[] }): Redactor {
  const values = [...new Set(options.secrets.flatMap(searchedValues))];
  const { inText, inBytes } = searchesFor(values);
  const spelledAsNumber = new Set(values.filter((value) => /^[\d.]+$/.test(value)));
  const counts: Record<string, number> = {};

  const count = (rule: string): void => {
    counts[rule] = (counts[rule] ?? 0) + 1;
  };
  const countValue = (): void => count("exact-value");

  const text = (value: string): string =>
    withoutMatches(value, removalsIn(value, inText, value.length), countValue);

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
    mayContain: (serialized) => mayHold(serialized, inText),
    counts: () => ({ ...counts }),
  };
}

/** Matches may overlap: one that begins inside of another takes its end with it. */
function withoutMatches(text: string, found: readonly Match[], countValue: () => void): string {
  if (found.length === 0) return text;
  let result = "";
  let copied = 0;
  for (const { start, end } of found) {
    if (start >= copied) {
      result += text.slice(copied, start) + redactedMark;
      countValue();
    }
    copied = Math.max(copied, end);
  }
  return result + text.slice(copied);
}
