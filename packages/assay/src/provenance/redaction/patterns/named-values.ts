import { isCredentialName, isCredentialParameter } from "../credential-names.ts";
import { isLoginInBase64 } from "../login-text.ts";
import {
  isBlankOrQuote,
  isDigit,
  isLineEscape,
  isOfName,
  isOperator,
  skipBack,
  skipBlanks,
} from "./before.ts";
import { isNamedBefore, isPercentEncoded, mayBeNamed } from "./loose-names.ts";
import type { PatternMatch } from "./pattern-match.ts";
import { isByChance, looksRandom } from "./randomness.ts";
import { minRun } from "./token-starts.ts";

const maxNameLength = 40;
const maxOperator = 12;
/** Of a value: servers take no longer header. */
const maxLength = 8192;

/**
 * The token at a place, up to the end of its run, when what stands before it says that it is a credential, in any notation:
 * `API_KEY=...`, `"api_key": "..."`, `--api-key ...`, `Authorization: Bearer ...`; and it looks made by chance.
 */
export function namedValueAt(text: string, at: number, end: number): PatternMatch | null {
  return closelyNamedAt(text, at, end) ?? looselyNamedAt(text, at, end);
}

/** Where nothing but blanks, quotes and an operator stands between a name and its value: most of all, and soon told. */
function closelyNamedAt(text: string, at: number, end: number): PatternMatch | null {
  const before = text.charCodeAt(at - 1);
  if (!isOperator(before) && !isBlankOrQuote(before) && !isLineEscape(text, at)) return null;
  const saying = ruleBefore(text, at);
  if (saying === null) return null;
  if (saying === "authorization" && isLoginInBase64(text.slice(at, end)))
    return { rule: saying, start: at, end };
  if (!isKeyLike(text.slice(at, end))) return null;
  if (saying === "word" && !isByChance(text.slice(at, end))) return null;
  if (saying === "attribute" && !isNamedAttribute(text, at)) return null;
  if (saying === "user" && !isUserFlag.test(text.slice(Math.max(0, at - 160), at))) return null;
  return { rule: saying === "authorization" ? saying : "named-value", start: at, end };
}

function looselyNamedAt(text: string, at: number, end: number): PatternMatch | null {
  if (end - at > maxLength || !mayBeNamed(text, at)) return null;
  const given = text.slice(at, end);
  const value = isPercentEncoded(text, at) ? beforeEncodedEnd(given) : withoutFullStops(given);
  if (isLoginName.test(text.slice(Math.max(0, at - 20), at)) && isLoginInBase64(value))
    return { rule: "authorization", start: at, end: at + value.length };
  if (!isKeyLike(value) || !isByChance(value) || !isNamedBefore(text, at)) return null;
  return { rule: "named-value", start: at, end: at + value.length };
}

/** Where what stands before is percent-encoded, what ends the value is as well. */
function beforeEncodedEnd(given: string): string {
  const ending = given.search(encodedEnd);
  return ending === -1 ? given : given.slice(0, ending);
}

function withoutFullStops(given: string): string {
  return given.slice(0, skipBack(given, given.length, isFullStop, given.length));
}

function isFullStop(code: number): boolean {
  return code === 0x2e;
}

/** Of a registry of images or of packages: `"auth": "..."`, `_auth=...`. */
const isLoginName = /(?:^|[^\w])_?auth[\\"']{0,8}\s{0,4}[:=]\s{0,4}[\\"']{0,8}$/;
const encodedEnd = /%(?:2[0267C]|5[CD]|7D|0[AD])/i;

/** Code that reads a credential (`process.env.API_KEY`) and paths are none. */
export function isKeyLike(given: string): boolean {
  return (
    given.length >= minRun &&
    given.length <= maxLength &&
    !startsLikeCode.test(given) &&
    looksRandom(given) &&
    isToken.test(given) &&
    !isPath(given)
  );
}

/** Base64 may begin with a slash as well: then more than names of folders follows it. */
function isPath(given: string): boolean {
  return given.startsWith("/") && !given.split("/").some(isOfBase64);
}

function isOfBase64(part: string): boolean {
  return part.length >= 12 && /[a-z]/.test(part) && /[A-Z]/.test(part) && isByChance(part);
}

const isToken = /^[A-Za-z0-9_+/=.~%-]+$/;
const startsLikeCode = /^(?:[.~]|process\.|os\.|env\.|secrets?\.|your)/i;

/** An attribute or a user may say it: what stands further before tells. Behind a word of prose may stand anything. */
type Saying = "name" | "authorization" | "attribute" | "user" | "word";

/** What says that a value is a credential, if anything does. */
function ruleBefore(text: string, at: number): Saying | null {
  const gap = skipBlanks(text, at);
  const before = skipBlockMark(text, gap);
  const operator = skipBack(text, before, isOperator, maxOperator);
  return operator === before
    ? wordSaying(text, behindComma(text, before))
    : nameSaying(text, operator);
}

/** In a list of arguments, `"--api-key", "..."`, a comma stands between a flag and its value. */
function behindComma(text: string, gap: number): number {
  const quote = text.charCodeAt(gap - 2);
  return text.charCodeAt(gap - 1) === comma && (quote === 0x22 || quote === 0x27)
    ? skipBlanks(text, gap - 1)
    : gap;
}

/** `|` or `>`, before the lines of a value in YAML: to the end of the operator before it. */
function skipBlockMark(text: string, gap: number): number {
  const mark = skipBack(text, gap, isBlockHint, 2);
  const code = text.charCodeAt(mark - 1);
  if (code !== 0x7c && code !== 0x3e) return gap;
  const before = skipBlanks(text, mark - 1);
  return text.charCodeAt(before - 1) === 0x3a ? before : gap;
}

/** How a block is indented, and what becomes of its last line. */
function isBlockHint(code: number): boolean {
  return code === 0x2b || code === 0x2d || isDigit(code);
}

/** How the last words of such names end: most names are told apart by that alone. */
const endings = new Set(
  "key keys secret token tokens password passwd pwd auth authorization cookie credential credentials signature sig pass passphrase string value bearer basic sas"
    .split(" ")
    .map((word) => endingKey(word, word.length)),
);

function endingKey(text: string, end: number): number {
  return ((text.charCodeAt(end - 2) | 0x20) << 8) | text.charCodeAt(end - 1) | 0x20;
}

function nameBefore(text: string, end: number): string {
  if (!endings.has(endingKey(text, end)) && !isDigit(text.charCodeAt(end - 1))) return "";
  return text.slice(skipBack(text, end, isOfName, maxNameLength), end);
}

/** Before an operator: the name of a credential, `value` of a pair, a user with his password. */
function nameSaying(text: string, operator: number): Saying | null {
  const end = skipBlanks(text, operator);
  const name = nameBefore(text, end);
  const before = text.charAt(end - name.length - 1);
  if (name !== "" && isCredentialParameter(name, before === "?" || before === "&")) return "name";
  if (isValue.test(name)) return "attribute";
  return text.charCodeAt(operator) === colon ? "user" : null;
}

const colon = 0x3a;
const comma = 0x2c;
/** `--user name:` of curl and its like. */
const isUserFlag =
  /(?:^|[\s"'nt])(?:-u|-U|--user|--proxy-user)(?:[\s=]|\\{0,8}["']){0,4}[^\s:"'\\]{1,64}:$/;

const isValue = /^value$/i;
/** Words that a password follows without more, as in a netrc file; `--any-token` as well. */
const isWord = /^(?:password|passwd|passphrase)$/i;
const isFlag = /^--?[A-Za-z]/;
const isScheme = /^(?:bearer|basic)$/i;

/** Without an operator. */
function wordSaying(text: string, end: number): Saying | null {
  const name = nameBefore(text, end);
  if (name === "") return null;
  if (isScheme.test(name)) return "authorization";
  if (isWord.test(name)) return "word";
  return isFlag.test(name) && isCredentialName(name) ? "name" : null;
}

/** `"name": "API_KEY", "value": ...`, `key="ApiKey" value=...`: what the pair is about stands right before, or its end behind a cut. */
const pairName =
  /(?:(?:key|name)[\\"']{0,8}\s?[:=]\s?|\.\.\.)[\\"']{0,8}([A-Za-z0-9_.-]{2,40})[\\"',]{0,12}(?:\\+[nr]|\s){0,120}[\\"']{0,8}value[\\"']{0,8}[\s:=]{1,4}[\\"']{0,8}$/i;

function isNamedAttribute(text: string, at: number): boolean {
  const [, name = ""] = pairName.exec(text.slice(Math.max(0, at - 260), at)) ?? [];
  return name !== "" && isCredentialName(name);
}
