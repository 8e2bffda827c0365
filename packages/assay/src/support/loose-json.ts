import { parseJson } from "./json.ts";

/**
 * Parses JSON in which numbers may stand as Python writes those that JSON has no word for: `NaN`, `Infinity` and
 * `-Infinity`, each of which becomes the text that `textOf` gives. Throws what `parseJson` throws.
 */
export function parseLooseJson(
  text: string,
  source: string,
  textOf: (word: string) => string,
): unknown {
  try {
    return parseJson(text, source);
  } catch (problem) {
    const strict = withoutNonFinite(text, textOf);
    if (strict === text) throw problem;
    return parseJson(strict, source);
  }
}

/** By hand: a pattern that passes over strings gives up where one is some megabytes long. */
function withoutNonFinite(text: string, textOf: (word: string) => string): string {
  if (!/NaN|Infinity/.test(text)) return text;
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const between = text.slice(at, quote < 0 ? text.length : quote);
    parts.push(between.replace(/-?\b(?:NaN|Infinity)\b/g, (word) => JSON.stringify(textOf(word))));
    if (quote < 0) break;
    at = endOfString(text, quote + 1);
    parts.push(text.slice(quote, at));
  }
  return parts.join("");
}

/** Behind the quote that ends a string which began before `from`; the end of the text where none does. */
function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote >= 0) {
    let before = quote - 1;
    while (before >= from && text[before] === "\\") before -= 1;
    if ((quote - 1 - before) % 2 === 0) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}
