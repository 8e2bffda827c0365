import { gluedPrefixes } from "./prefixes.ts";

/** A credential of any shape has a run of so many characters that tokens are made of. */
export const minRun = 16;

const other = 0;
const alphanumeric = 1;
/** May stand inside of a token, and between two. */
const joint = 2;
/** A letter that tells a prefix without a joint. */
const telling = 3;

const kinds = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
  kinds[character.charCodeAt(0)] = alphanumeric;
for (const character of "_-+/=.~%") kinds[character.charCodeAt(0)] = joint;

/** Prefixes by the three characters up to their first joint, or their first three where they have none. */
const glued = new Map<number, { readonly prefix: string; readonly back: number }[]>();
/** Which keys there are, in a table that is faster to ask than the map. */
const isGluedKey = new Uint8Array(1 << 12);
let longestBack = 0;
for (const prefix of gluedPrefixes) {
  const first = prefix.search(/[-_.]/);
  const back = first === -1 ? 2 : first;
  const key = keyAt(prefix, back);
  isGluedKey[key & (isGluedKey.length - 1)] = 1;
  glued.set(key, [...(glued.get(key) ?? []), { prefix, back }]);
  if (first === -1) kinds[prefix.charCodeAt(back)] = telling;
  longestBack = Math.max(longestBack, back);
}

const percent = "%".charCodeAt(0);
const backslash = "\\".charCodeAt(0);

/**
 * Calls `visit` for each place where a token of at least `minRun` characters may start, with the end of its run, until it
 * says true; whether it did. Prose and JSON are made of shorter runs, and are jumped over.
 */
export function someTokenStart(text: string, visit: (at: number, end: number) => boolean): boolean {
  const { length } = text;
  let start = 0;
  while (start + minRun <= length) {
    let at = start + minRun - 1;
    while (at >= start && kindAt(text, at) !== other) at -= 1;
    if (at >= start) {
      start = at + 1;
      continue;
    }
    let end = start + minRun;
    while (end < length && kindAt(text, end) !== other) end += 1;
    if (someInRun(text, start, end, visit)) return true;
    start = end + 1;
  }
  return false;
}

/** At the start of the run, behind an escape that it begins with, behind each joint, and at prefixes wherever they stand. */
function someInRun(
  text: string,
  start: number,
  end: number,
  visit: (at: number, end: number) => boolean,
): boolean {
  const last = end - minRun;
  const behindEscape = start + escapeLength(text, start);
  if (!isEscaped(text, start, behindEscape) && visit(start, end)) return true;
  if (behindEscape > start && behindEscape <= last && visit(behindEscape, end)) return true;
  const lastTelling = Math.min(end, last + longestBack);
  for (let at = start; at < lastTelling; at += 1) {
    const kind = kindAt(text, at);
    if (kind === alphanumeric) continue;
    const prefixed = gluedStart(text, at);
    if (prefixed > start && prefixed <= last && visit(prefixed, end)) return true;
    if (kind !== joint || at >= last) continue;
    if (visit(at + 1, end)) return true;
    if (text.charCodeAt(at) === percent && at + 3 <= last && visit(at + 3, end)) return true;
  }
  return false;
}

/** Where a prefix begins that the character at a place tells, with a letter or digit right before it; -1 when none does. */
function gluedStart(text: string, at: number): number {
  const key = keyAt(text, at);
  if (isGluedKey[key & (isGluedKey.length - 1)] !== 1) return -1;
  for (const { prefix, back } of glued.get(key) ?? []) {
    const start = at - back;
    if (isGlued(text, start) && text.startsWith(prefix, start)) return start;
  }
  return -1;
}

/** Whether a letter or a digit stands right before a place. */
export function isGlued(text: string, at: number): boolean {
  const kind = kindAt(text, at - 1);
  return kind === alphanumeric || kind === telling;
}

/** Of the three characters up to a place. */
function keyAt(text: string, at: number): number {
  return (text.charCodeAt(at - 2) << 14) ^ (text.charCodeAt(at - 1) << 7) ^ text.charCodeAt(at);
}

const letters = /u[0-9a-fA-F]{4}|[nrtbf]/y;
const colour = /[0-9]*m/y;

/** Whether what a run begins with surely belongs to an escape: behind two backslashes it may not. */
function isEscaped(text: string, start: number, behindEscape: number): boolean {
  return (
    behindEscape > start &&
    text.charCodeAt(start - 1) === backslash &&
    text.charCodeAt(start - 2) !== backslash
  );
}

/** The part of a run that belongs to an escape before it: `\n`, `\u001b`, a colour of a terminal. */
function escapeLength(text: string, start: number): number {
  const before = text.charCodeAt(start - 1);
  if (before === backslash) {
    letters.lastIndex = start;
    return letters.test(text) ? letters.lastIndex - start : 0;
  }
  if (before !== 0x5b && before !== 0x3b) return 0;
  colour.lastIndex = start;
  return colour.test(text) ? colour.lastIndex - start : 0;
}

function kindAt(text: string, at: number): number {
  return kinds[text.charCodeAt(at)] ?? other;
}
