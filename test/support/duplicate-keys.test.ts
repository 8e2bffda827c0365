import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  QuotationMarks,
  quotationMarksOf,
  whyTwofold,
} from "../../packages/assay/src/support/duplicate-keys.ts";

const check = (text: string) => whyTwofold(Buffer.from(text), JSON.parse(text)) !== null;

describe("a key that stands twice", () => {
  it("is found in no text that JSON.stringify wrote, whatever it holds", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, space) => {
        expect(check(JSON.stringify(value, null, space))).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it("is found wherever it stands, and however it is spelt", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), fc.array(fc.jsonValue()), (value, key, others) => {
        const name = JSON.stringify(key);
        const escaped = name.replace(
          /[a-z]/,
          (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`,
        );
        const text = JSON.stringify(value);
        for (const twice of [name, escaped, ` ${name} `]) {
          const object = `{${name}:${text},${twice}:${JSON.stringify(others)}}`;
          expect(
            check(`[${[...others.map((one) => JSON.stringify(one)), object].join(",")}]`),
          ).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("is counted alike in whatever chunks a text comes", () => {
    const chunks = fc.array(fc.integer({ min: 1, max: 1200 }), { minLength: 1, maxLength: 8 });
    const texts = fc.array(
      fc.oneof(fc.string(), fc.constantFrom("x".repeat(700), '"'.repeat(900), "\\")),
    );
    fc.assert(
      fc.property(texts, chunks, (values, sizes) => {
        const bytes = Buffer.from(JSON.stringify(values));
        const marks = new QuotationMarks();
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const end = at + (sizes[turn % sizes.length] ?? 1);
          marks.add(Uint8Array.from(bytes.subarray(at, end)));
          at = end;
        }
        expect(marks.count).toBe(quotationMarksOf(values));
      }),
      { numRuns: 300 },
    );
  });

  it("is not looked for in data that is too deep to walk: that is told as well", () => {
    const text = `${"[".repeat(5000)}${"]".repeat(5000)}`;

    expect(quotationMarksOf(JSON.parse(text))).toBeNull();
    expect(check(text)).toBe(true);
  });
});
