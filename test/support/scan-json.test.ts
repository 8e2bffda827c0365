import fc from "fast-check";
import { expect, it } from "vitest";

import { readNumber, type Scan, scanText } from "../../packages/assay/src/support/scan-json.ts";

/** What `JSON.parse` makes of a text; undefined when it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const pieces = [
  "a",
  "é",
  "\u20ac",
  "\ud83d\ude00",
  "\\",
  "\\n",
  "\\u00e9",
  "\\ud800",
  "\n",
  "\0",
  "\x7f",
];
const content = fc.string({ unit: fc.constantFrom(...pieces), maxLength: 6 });

it("reads a text as JSON.parse does, whatever text was likely there, and nothing that is none", () => {
  fc.assert(
    fc.property(
      content,
      fc.option(content),
      fc.constantFrom('"', '",', ""),
      (text, likely, end) => {
        const scan: Scan = { end: 0, value: likely };
        const expected = end === "" ? undefined : parsed(`"${text}"`);

        const isRead = scanText(Buffer.from(`"${text}${end}`), 1, scan);

        // A backslash at the end takes the mark for its own.
        const found = isRead ? { value: scan.value, end: scan.end } : undefined;
        const wanted = { value: expected, end: 1 + Buffer.byteLength(text) };
        expect(found).toEqual(expected === undefined ? undefined : wanted);
      },
    ),
    { numRuns: 2000 },
  );
});

it("reads a number as JSON.parse does, and nothing that is none", () => {
  const digits = fc.string({ unit: fc.constantFrom(..."0123456789"), maxLength: 20 });
  const odd = fc.string({ unit: fc.constantFrom(..."00159.-+eE"), maxLength: 6 });
  const number = fc.oneof(digits, odd, fc.double().map(String), fc.integer().map(String));
  fc.assert(
    fc.property(number, fc.constantFrom("", ",", "}"), (text, behind) => {
      const scan: Scan = { end: 0, value: null };

      const isRead = readNumber(Buffer.from(`:${text}${behind}`), 1, scan);

      const value = parsed(text);
      const wanted = typeof value === "number" ? { value, end: 1 + text.length } : undefined;
      expect(isRead ? { value: scan.value, end: scan.end } : undefined).toStrictEqual(wanted);
    }),
    { numRuns: 2000 },
  );
});
