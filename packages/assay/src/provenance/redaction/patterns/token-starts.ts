/** A credential of any shape has a run of so many characters that tokens are made of. */
export const minRun = 16;

const other = 0;
const alphanumeric = 1;
/** May stand inside of a token, and between two. */
const joint = 2;

const kinds = new Uint8Array(128);
for (const character of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
  kinds[character.charCodeAt(0)] = alphanumeric;
for (const character of "_-+/=.~%") kinds[character.charCodeAt(0)] = joint;

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

/** At the start of the run, behind an escape that it begins with, and behind each joint. */
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
  for (let at = start; at < last; at += 1) {
    if (kindAt(text, at) !== joint) continue;
    if (visit(at + 1, end)) return true;
    if (text.charCodeAt(at) === percent && at + 3 <= last && visit(at + 3, end)) return true;
  }
  return false;
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
