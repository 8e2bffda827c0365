import { isCredentialName, isCredentialParameter } from "../credential-names.ts";
import type { PatternMatch } from "./pattern-match.ts";
import { looksRandom } from "./randomness.ts";
import { minRun } from "./token-starts.ts";

const maxNameLength = 40;
const maxGap = 12;
/** Of a value: servers take no longer header. */
const maxLength = 8192;

/**
 * The token at a place, up to the end of its run, when what stands before it says that it is a credential, in any notation:
 * `API_KEY=...`, `"api_key": "..."`, `Authorization: Bearer ...`; and it looks made by chance.
 */
export function namedValueAt(text: string, at: number, end: number): PatternMatch | null {
  if (!endsName(text.charCodeAt(at - 1)) || end - at > maxLength) return null;
  const before = skipBack(text, at, isQuoteOrBlank);
  const operator = skipBack(text, before, isOperator);
  const rule = operator === before ? schemeBefore(text, before) : ruleOfName(text, operator);
  if (rule === null || !isKeyLike(text.slice(at, end))) return null;
  return { rule, start: at, end };
}

/** Code that reads a credential (`process.env.API_KEY`) and paths are none. */
export function isKeyLike(given: string): boolean {
  return (
    given.length >= minRun &&
    given.length <= maxLength &&
    !startsLikeCode.test(given) &&
    isToken.test(given) &&
    looksRandom(given)
  );
}

const isToken = /^[A-Za-z0-9_+/=.~%-]+$/;
const startsLikeCode = /^(?:[./~]|process\.|os\.|env\.|secrets?\.|your)/i;

/** How the last words of such names end: most names are told apart by that alone. */
const endings = new Set(
  "key keys secret token tokens password passwd pwd auth authorization cookie credential credentials signature sig pass passphrase string value bearer sas"
    .split(" ")
    .map((word) => endingKey(word, word.length)),
);

function endingKey(text: string, end: number): number {
  return ((text.charCodeAt(end - 2) | 0x20) << 8) | text.charCodeAt(end - 1) | 0x20;
}

function ruleOfName(text: string, operator: number): string | null {
  const nameEnd = skipBack(text, operator, isQuoteOrBlank);
  if (!endings.has(endingKey(text, nameEnd)) && !isDigit(text.charCodeAt(nameEnd - 1))) return null;
  const start = skipBack(text, nameEnd, isOfName, maxNameLength);
  if (start === nameEnd) return null;
  const name = text.slice(start, nameEnd);
  const before = text.charAt(start - 1);
  const isCredential =
    isCredentialName(name) || isCredentialParameter(name, before === "?" || before === "&");
  return isCredential ? "named-value" : null;
}

/** `Bearer` and `Basic`, whatever header they stand in. */
function schemeBefore(text: string, end: number): string | null {
  const last = text.charCodeAt(end - 1) | 0x20;
  if (last !== 0x72 && last !== 0x63) return null;
  return /(?:bearer|basic)$/i.test(text.slice(Math.max(0, end - 6), end)) ? "authorization" : null;
}

function skipBack(
  text: string,
  from: number,
  isSkipped: (code: number) => boolean,
  most = maxGap,
): number {
  const least = Math.max(0, from - most);
  let at = from;
  while (at > least && isSkipped(text.charCodeAt(at - 1))) at -= 1;
  return at;
}

function isQuoteOrBlank(code: number): boolean {
  return (
    code === 0x22 || code === 0x27 || code === 0x5c || code === 0x20 || (code >= 9 && code <= 13)
  );
}

function endsName(code: number): boolean {
  return isOperator(code) || isQuoteOrBlank(code);
}

/** Of `:`, `=`, `:=` and `=>`. */
function isOperator(code: number): boolean {
  return code === 0x3a || code === 0x3d || code === 0x3e;
}

function isOfName(code: number): boolean {
  const lower = code | 0x20;
  return (
    (lower >= 0x61 && lower <= 0x7a) ||
    isDigit(code) ||
    code === 0x5f ||
    code === 0x2d ||
    code === 0x2e
  );
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
