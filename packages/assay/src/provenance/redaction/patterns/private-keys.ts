import type { Match } from "../search.ts";
import { extentOf } from "./extent.ts";
import { keyBlockEnd, keyBlockStart } from "./key-block.ts";

/** A blank, as it stands in a text or in an address. */
const gap = "(?: |%20|\\+)";
const boundary = (which: string) =>
  `-{4,5} ?${which}${gap}(?:[A-Z0-9]{1,12}${gap}){0,4}PRIVATE${gap}KEY(?:${gap}BLOCK)?(?: ?-{4,5})`;
/** PuTTY counts the lines of a key instead. */
const bounds = new RegExp(
  `(${boundary("BEGIN")}|Private-Lines: \\d{1,4}(?!\\d))|${boundary("END")}`,
  "g",
);
const ending = new RegExp(boundary("END"), "y");
/** So far before its end a key is looked for whose beginning is not there. */
const maxKey = 16 * 1024;

/** Keys in PEM, PGP, SSH2 and PuTTY blocks; where the beginning or the end is missing, what there is of one. */
export function privateKeysIn(text: string): readonly Match[] {
  if (!text.includes("PRIVATE") && !text.includes("Private-Lines")) return [];
  const found: Match[] = [];
  let seen = 0;
  for (const { index, 0: bound, 1: beginning } of text.matchAll(bounds)) {
    if (index < seen) continue;
    const from = Math.max(seen, index - maxKey);
    seen = index + bound.length;
    if (beginning === undefined) {
      const start = keyBlockStart(text.slice(from, index));
      if (start !== -1) found.push({ start: from + start, end: seen });
    } else {
      const end = keyBlockEnd(text, index, seen, ending);
      if (end !== -1) found.push({ start: index, end });
      seen = Math.max(seen, end);
    }
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
