import { extentOf } from "./extent.ts";
import { looksRandom } from "./randomness.ts";

/** A line of a key has at least so many characters; one that is whole has more in any format. */
const minLine = 16;
const wholeLine = 40;
const maxHeaders = 8;
const maxHeader = 300;
const maxPrefix = 200;
/** Short lines that may stand at the end of a key: its last one, and a checksum. */
const maxShort = 2;
/** Words between two lines of a key whose beginning is not there. */
const maxBetween = 4;

const other = /(?:[^A-Za-z0-9+/=%]|%(?!2[BbFf]|3[Dd])){1,1000}/y;
/** Percent-encoded or not. */
const run = /(?:[A-Za-z0-9+/=]|%(?:2[BbFf]|3[Dd])){1,1000}/y;
const header = /[A-Z][A-Za-z-]{2,30}: /y;
const tag = /[^<>]{0,100}>/y;
const lineEnd = /\n|\\+[nr]|%0[Aa]/;
const escaped = /u[0-9a-fA-F]{4}|[a-z]/y;
const isOfKey = /[A-Za-z0-9+/=]/;
const isBlank = /^(?:\s|\\+[nr]?)*$/;
/** Two characters that say a line end, or the name of an escape: `\n`, `%0A`, `\u001b`, `&nbsp;`, `[32m`. */
const isEscape = /^[\\%&;[][A-Za-z0-9]{1,5}$/;

/**
 * Where the key of a block ends whose beginning ends at `from`; -1 when no key follows. Its lines may stand behind numbers,
 * quotes, marks of a diff, tags, escapes, and whatever stands before the beginning of the block on its own line.
 */
export function keyBlockEnd(text: string, start: number, from: number, ending: RegExp): number {
  const isAround = aroundLines(text, start);
  let end = -1;
  let headers = 0;
  let short = 0;
  for (let at = extentOf(text, from, other); ; at = extentOf(text, at, other)) {
    const next = extentOf(text, at, run);
    if (next === at) return isCutBehind(text, end, short) ? at : end;
    if (end !== -1 && betweenValues.test(text.slice(end, at))) return end;
    const given = text.slice(at, next);
    const closed = given === "END" ? endingAt(text, at, ending) : -1;
    if (closed !== -1) return end === -1 ? -1 : closed;
    if (isAround(given, at)) {
      at = afterTag(text, at, next);
    } else if (isKeyLine(given)) {
      at = next;
      end = next;
      short = 0;
    } else if (end === -1) {
      headers += 1;
      at = headers > maxHeaders ? -1 : headerEnd(text, at);
      if (at === -1) return -1;
    } else {
      short += 1;
      if (short > maxShort || given.length >= minLine) return end;
      at = next;
    }
  }
}

/** Whether a text ends with a key: behind one of its lines, or within the next. */
function isCutBehind(text: string, end: number, short: number): boolean {
  if (end === -1) return false;
  return short === 1 ? isOfKey.test(text.slice(-1)) : isBlank.test(text.slice(end, end + 64));
}

/** What parts one value of JSON from the next: no key goes on over it. */
const betweenValues = /[{}]|"\s*[:\]]|\[\s*"/;

/** Where a key begins that ends at a place, when its beginning is not in the text; -1 when none does. */
export function keyBlockStart(before: string): number {
  let start = -1;
  let between = 0;
  let seen = 0;
  for (const { index, 0: given } of before.matchAll(/[A-Za-z0-9+/=]+/g)) {
    if (betweenValues.test(before.slice(seen, index))) start = -1;
    seen = index + given.length;
    if (given.length >= wholeLine) {
      if (start === -1) start = index + escapeLength(before, index);
      between = 0;
    } else {
      between += 1;
      if (between > maxBetween) start = -1;
    }
  }
  return start;
}

/** What of a run belongs to an escape that begins before it. */
function escapeLength(text: string, at: number): number {
  if (text.charAt(at - 1) !== "\\") return 0;
  escaped.lastIndex = at;
  return escaped.test(text) ? escaped.lastIndex - at : 0;
}

function isKeyLine(given: string): boolean {
  return given.length >= minLine && (given.length >= wholeLine || looksRandom(given));
}

/** What stands around the lines of a key and is none of it. */
function aroundLines(text: string, start: number): (given: string, at: number) => boolean {
  const before = text.slice(Math.max(0, start - maxPrefix), start);
  const line = before.split(lineEnd).at(-1) ?? "";
  const words = new Set((line.match(/[A-Za-z0-9+/=]+/g) ?? []).map(withoutDigits));
  // So no search goes on behind where another begins: all together read the text once.
  for (const word of ["BEGIN", "END", "Private", "Lines"]) words.delete(word);
  return (given, at) => {
    const rest = withoutDigits(given);
    if (rest === "" || words.has(rest)) return true;
    if (text.charAt(at - 1) === "<") return tagEnd(text, at) !== -1;
    return given.length <= 5 && isEscape.test(text.charAt(at - 1) + given);
  };
}

function withoutDigits(word: string): string {
  return word.replace(/[0-9]+/g, "");
}

function afterTag(text: string, at: number, next: number): number {
  return text.charAt(at - 1) === "<" ? Math.max(next, tagEnd(text, at)) : next;
}

function tagEnd(text: string, at: number): number {
  tag.lastIndex = at;
  return tag.test(text) ? tag.lastIndex : -1;
}

/** The end of the boundary whose word `END` stands at a place. */
function endingAt(text: string, at: number, ending: RegExp): number {
  for (const before of [5, 6, 4]) {
    ending.lastIndex = at - before;
    if (at >= before && ending.test(text)) return ending.lastIndex;
  }
  return -1;
}

/** Behind the line that a header stands in; -1 when none begins here. */
function headerEnd(text: string, at: number): number {
  header.lastIndex = at;
  if (!header.test(text)) return -1;
  const found = lineEnd.exec(text.slice(header.lastIndex, at + maxHeader));
  return found === null ? -1 : header.lastIndex + found.index + found[0].length;
}
