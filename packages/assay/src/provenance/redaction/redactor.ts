import type { RedactionStream, Redactor } from "../../contracts/redactor.ts";
import type { JsonObject, JsonValue } from "../../support/json.ts";
import { isCredentialName } from "./credential-names.ts";
import { redactDocument } from "./documents/settings-document.ts";
import { redactJson, type Scalar, type Walk } from "./json-walk.ts";
import { redactSettings } from "./key-rules.ts";
import { isKeyLike } from "./patterns/named-values.ts";
import type { PatternMatch } from "./patterns/pattern-match.ts";
import { holdsKeyId, isSecretOfKey } from "./patterns/secrets-beside.ts";
import { mayHold, removalsIn, searchesFor } from "./removals.ts";
import { type KnownSecret, redactedMark, searchedValues } from "./secret.ts";
import { openRedactionStream } from "./stream.ts";

/**
 * A redactor in three layers: the exact values of these secrets in every form of `formsOf`, with the pieces of them beside
 * marks that say where a text was cut; secretlint's rules; patterns of our own. For settings the key rules come on top.
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

  const text = (value: string): string => withoutMatches(value, removalsIn(value, inText), count);

  const scalar: Scalar = (value, key) => {
    if (typeof value === "number") {
      if (!spelledAsNumber.has(String(Math.abs(value)))) return value;
      count("exact-value");
      return redactedMark;
    }
    if (key === null || !isKeyLike(value) || !isCredentialName(key)) return text(value);
    count("named-value");
    return redactedMark;
  };

  const together: Walk["together"] = (given, clean) => {
    if (!given.some((item) => typeof item === "string" && holdsKeyId(item))) return clean;
    return clean.map((item) => {
      if (typeof item !== "string" || !isSecretOfKey(item)) return item;
      count("aws");
      return redactedMark;
    });
  };
  const walk: Walk = { scalar, together };

  return {
    text,
    json: <T extends JsonValue>(value: T): T => redactJson(value, walk) as T,
    settings: (value: JsonObject): JsonObject =>
      redactJson(redactSettings(value, count), walk) as JsonObject,
    document: async (value, form) => {
      let removed = 0;
      const tell = (rule: string): void => {
        removed += 1;
        count(rule);
      };
      return { text: await redactDocument(value, form, tell), removed };
    },
    stream: (): RedactionStream => openRedactionStream(inBytes, count),
    mayContain: (serialized) => mayHold(serialized, inText),
    countWithheld: () => count("withheld-file"),
    counts: () => ({ ...counts }),
  };
}

/** Matches may overlap: one that begins inside of another takes its end with it. */
function withoutMatches(
  text: string,
  found: readonly PatternMatch[],
  count: (rule: string) => void,
): string {
  if (found.length === 0) return text;
  let result = "";
  let copied = 0;
  for (const { rule, start, end } of found) {
    if (start >= copied) {
      result += text.slice(copied, start) + redactedMark;
      count(rule);
    }
    copied = Math.max(copied, end);
  }
  return result + text.slice(copied);
}
