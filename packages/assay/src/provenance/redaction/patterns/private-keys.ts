import type { Match } from "../search.ts";
import { extentOf } from "./extent.ts";

const blank = "(?:\\s|\\\\+[nr])";
/** A header ends with its line and nowhere else: a text can be read in one way only, however it was made. */
const headerLine = "[A-Z][A-Za-z-]{2,30}: [^\\n\\\\]{0,200}(?:\\n|\\\\+[nr])";
const boundary = (which: string) => `-----${which} [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----`;
/** Up to the first characters of the key itself: a text may well speak of such a line. */
const beginning = new RegExp(
  `${boundary("BEGIN")}${blank}*(?:${headerLine}${blank}*){0,8}[A-Za-z0-9+/=]{16}`,
  "g",
);
/** Base64 in lines, which may be escaped, with the headers and the end of the block. */
const body = /(?:[A-Za-z0-9+/=\s:,.()-]|\\{1,16}[nr]){1,1000}/y;
const ending = new RegExp(boundary("END"));

/** Keys in PEM and PGP blocks; where the end is missing, what there is of one. */
export function privateKeysIn(text: string): readonly Match[] {
  if (!text.includes("PRIVATE KEY")) return [];
  const found: Match[] = [];
  for (const { index, 0: start } of text.matchAll(beginning)) {
    if (index < (found.at(-1)?.end ?? 0)) continue;
    const end = extentOf(text, index + start.length, body);
    const last = ending.exec(text.slice(index, end));
    found.push({ start: index, end: last === null ? end : index + last.index + last[0].length });
  }
  return found;
}

/** A private key in base64 as a whole, as kubeconfig files have it, or without the lines around it. */
export const encodedKeyPrefixes = ["LS0tLS1CRUdJTi", "b3BlbnNzaC1rZXktdjE"];
const encoded = /[A-Za-z0-9+/=]{40,1000}/y;

const restOfEncoded = /[A-Za-z0-9+/=]{1,1000}/y;

/** The end of such a key; -1 when there is none: certificates begin in the same way. */
export function encodedKeyAt(text: string, at: number): number {
  encoded.lastIndex = at;
  const [given = ""] = encoded.exec(text) ?? [];
  const plain = Buffer.from(given.slice(0, 200), "base64").toString("latin1");
  if (!/PRIVATE KEY|^openssh-key/.test(plain)) return -1;
  return extentOf(text, at + given.length, restOfEncoded);
}
