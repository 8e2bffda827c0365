import type { RedactionStream, Redactor } from "../../contracts/redactor.ts";
import type { JsonObject, JsonValue } from "../../support/json.ts";
import { asBytes, asText, formsOf } from "./forms.ts";
import { redactJson } from "./json-walk.ts";
import { redactSettings } from "./key-rules.ts";
import { searchFor } from "./search.ts";
import { type KnownSecret, redactedMark, searchedValues } from "./secret.ts";
import { openRedactionStream } from "./stream.ts";

/**
 * A redactor for these secrets: their exact values in every form of `formsOf`, and for settings the key rules.
 * Throws `ASSAY_SECRET_TOO_SHORT` for a value that cannot be told from the mark it is replaced by.
 */
export function createRedactor(options: { readonly secrets: readonly KnownSecret[] }): Redactor {
  const values = [...new Set(options.secrets.flatMap(searchedValues))];
  const inText = searchFor(values.flatMap((value) => formsOf(value, asText)));
  const isAscii = values.every((value) => /^\p{ASCII}*$/u.test(value));
  const inBytes = isAscii ? inText : searchFor(values.flatMap((value) => formsOf(value, asBytes)));
  const spelledAsNumber = new Set(values.filter((value) => /^[\d.]+$/.test(value)));
  const counts: Record<string, number> = {};

  const count = (rule: string): void => {
    counts[rule] = (counts[rule] ?? 0) + 1;
  };
  const countValue = (): void => count("exact-value");

  const text = (value: string): string => {
    let match = inText.next(value, 0, value.length);
    if (match === null) return value;
    let result = "";
    let copied = 0;
    while (match !== null) {
      if (match.start >= copied) {
        result += value.slice(copied, match.start) + redactedMark;
        countValue();
      }
      copied = Math.max(copied, match.end);
      match = inText.next(value, match.start + 1, value.length);
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
    mayContain: (serialized) => inText.next(serialized, 0, serialized.length) !== null,
    counts: () => ({ ...counts }),
  };
}
