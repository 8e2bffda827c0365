import { AssayError } from "../errors/assay-error.ts";
import { whyKeyTwice } from "./duplicate-keys.ts";
import { parseJson } from "./json.ts";
import { endOfString } from "./json-text.ts";

/** What stands for a number that JSON has no word for, by the word that Python writes: `NaN`, `Infinity`, `-Infinity`. */
export type StandIn = (word: string) => string | null;

/**
 * Parses what another program wrote: JSON that gives no key of an object twice, for of two values readers take different
 * ones. Where there is a `standIn`, numbers may stand as Python writes those that JSON has no word for. Throws what
 * `parseJson` throws.
 */
export function parseForeignJson(
  text: string,
  source: string,
  standIn: StandIn | null = null,
): unknown {
  const strict = standIn === null ? text : withoutBareNumbers(text, standIn);
  const value = parseJson(strict, source);
  const why = whyKeyTwice(Buffer.from(strict), value);
  if (why === null) return value;
  throw new AssayError("ASSAY_CONFIG_INVALID", `${source}: ${why}`, { data: { problem: why } });
}

/** What such an error says of a text that gives a key twice; null for any other. */
export function keyTwiceProblem(thrown: unknown): string | null {
  const problem = AssayError.isInstance(thrown) ? thrown.data["problem"] : undefined;
  return typeof problem === "string" ? problem : null;
}

/** By hand: a pattern that passes over strings gives up where one is some megabytes long. */
function withoutBareNumbers(text: string, standIn: StandIn): string {
  if (!/NaN|Infinity/.test(text)) return text;
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const between = text.slice(at, quote < 0 ? text.length : quote);
    parts.push(
      between.replace(/-?\bInfinity\b|(?<!-)\bNaN\b/g, (word) => JSON.stringify(standIn(word))),
    );
    if (quote < 0) break;
    const end = endOfString(text, quote + 1);
    at = end < 0 ? text.length : end;
    parts.push(text.slice(quote, at));
  }
  return parts.join("");
}
