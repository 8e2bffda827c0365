import type { PatternMatch } from "./pattern-match.ts";
import { looksRandom } from "./randomness.ts";

/** So far from its id the secret of a key stands: in the next column, on the next line. */
const reach = 160;
const isHex = /^[0-9a-f]+$/;

/** Ids of keys that tell nothing by themselves, and how long the secret is that is handed out with each. */
const pairs: readonly { readonly id: RegExp; readonly secret: RegExp }[] = [
  { id: /^A(?:KI|SI)A/, secret: secretOf("[A-Za-z0-9+]|\\\\{0,4}/", 40) },
  { id: /^LTAI/, secret: secretOf("[A-Za-z0-9]", 30) },
  { id: /^AKID/, secret: secretOf("[A-Za-z0-9]", 32) },
];

function secretOf(character: string, count: number): RegExp {
  return new RegExp(`(?<![A-Za-z0-9+/])(?:${character}){${count}}(?![A-Za-z0-9+/=])`, "g");
}

/** The secrets that stand beside the ids of their keys without a name: in CSV, in tables, on the next line. */
export function secretsBeside(text: string, found: readonly PatternMatch[]): PatternMatch[] {
  const beside: PatternMatch[] = [];
  let seen = 0;
  for (const { rule, start, end } of found) {
    if (rule !== "aws" && rule !== "cloud-key-id") continue;
    const pattern = pairs.find(({ id }) => id.test(text.slice(start, start + 4)))?.secret;
    if (pattern === undefined) continue;
    const from = Math.max(0, start - reach, Math.min(seen, start));
    seen = end;
    const part = withoutLineEscapes(text.slice(from, end + reach));
    for (const { index, 0: secret } of part.matchAll(pattern))
      if (isSecret(secret))
        beside.push({ rule, start: from + index, end: from + index + secret.length });
  }
  return beside;
}

/** Whether the id of a key of AWS stands in a text. */
export function holdsKeyId(text: string): boolean {
  return /A(?:KI|SI)A[A-Z0-9]{16}/.test(text);
}

/** Whether a text is, as a whole, what is handed out with such an id. */
export function isSecretOfKey(text: string): boolean {
  return /^[A-Za-z0-9+/]{40}$/.test(text) && isSecret(text);
}

/** A digest is no secret. */
function isSecret(text: string): boolean {
  return !isHex.test(text) && looksRandom(text);
}

/** Of the same length, so that places stay what they are. */
function withoutLineEscapes(text: string): string {
  return text.replace(/\\+[nrt]/g, (found) => " ".repeat(found.length));
}
