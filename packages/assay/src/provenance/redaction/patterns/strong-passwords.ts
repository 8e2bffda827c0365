import type { Match } from "../search.ts";

/** A name, what may stand between it and its value, and the value. */
const named =
  /(?:passw(?:or)?d|passphrase|pwd)(?:\\{0,8}["'\])]){0,3}\s?[:=]>?\s?\\{0,8}["']?([^\s"'`,;&<>(){}[\]\\|]{8,128})/gi;
const name = /passw(?:or)?d|passphrase|pwd/i;
/** Of everything a little, as rules for passwords want it. */
const classes = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/];
const isCode = /^[$%~./]|\$\{|:\/\/|=>/;

/** Passwords that are shorter than a key, or hold what no key does, behind a name that says what they are. */
export function strongPasswordsIn(text: string): readonly Match[] {
  if (!name.test(text)) return [];
  const found: Match[] = [];
  for (const { index, 0: whole, 1: password = "" } of text.matchAll(named)) {
    const start = index + whole.length - password.length;
    if (!isCode.test(password) && classes.every((it) => it.test(password)))
      found.push({ start, end: start + password.length });
  }
  return found;
}
