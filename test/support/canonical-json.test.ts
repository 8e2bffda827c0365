import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { canonicalJson } from "../../packages/assay/src/support/canonical-json.ts";

/** RFC 8785, appendix B: the bits of a double and its canonical text. */
const numbers: readonly (readonly [bits: string, text: string])[] = [
  ["0000000000000000", "0"],
  ["8000000000000000", "0"],
  ["0000000000000001", "5e-324"],
  ["8000000000000001", "-5e-324"],
  ["7fefffffffffffff", "1.7976931348623157e+308"],
  ["ffefffffffffffff", "-1.7976931348623157e+308"],
  ["4340000000000000", "9007199254740992"],
  ["c340000000000000", "-9007199254740992"],
  ["4430000000000000", "295147905179352830000"],
  ["44b52d02c7e14af5", "9.999999999999997e+22"],
  ["44b52d02c7e14af6", "1e+23"],
  ["44b52d02c7e14af7", "1.0000000000000001e+23"],
  ["444b1ae4d6e2ef4e", "999999999999999700000"],
  ["444b1ae4d6e2ef4f", "999999999999999900000"],
  ["444b1ae4d6e2ef50", "1e+21"],
  ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
  ["3eb0c6f7a0b5ed8d", "0.000001"],
  ["41b3de4355555553", "333333333.3333332"],
  ["41b3de4355555554", "333333333.33333325"],
  ["41b3de4355555555", "333333333.3333333"],
  ["41b3de4355555556", "333333333.3333334"],
  ["41b3de4355555557", "333333333.33333343"],
  ["becbf647612f3696", "-0.0000033333333333333333"],
  ["43143ff3c1cb0959", "1424953923781206.2"],
];

function doubleOf(bits: string): number {
  return Buffer.from(bits, "hex").readDoubleBE();
}

describe("canonicalJson", () => {
  it.each(numbers)("writes the double %s as %s", (bits, text) => {
    expect(canonicalJson(doubleOf(bits))).toBe(text);
  });

  it("writes the sample of RFC 8785, section 3.2.2", () => {
    const sample = {
      numbers: [Number("333333333.33333329"), 1e30, 4.5, 2e-3, 0.000000000000000000000000001],
      string: "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\u002f",
      literals: [null, true, false],
    };

    expect(canonicalJson(sample)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  it("sorts keys by UTF-16 code units, as the sample of section 3.2.3 does", () => {
    const sample = {
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis",
    };

    const keys = [...canonicalJson(sample).matchAll(/"([^"]*)":/g)].map(([, key]) => key);

    expect(keys).toStrictEqual([
      "\\r",
      "1",
      "\u0080",
      "\u00f6",
      "\u20ac",
      "\ud83d\ude00",
      "\ufb33",
    ]);
  });

  it.each([
    ["NaN", Number.NaN],
    ["an infinite number below", { a: [Number.POSITIVE_INFINITY] }],
    ["undefined", undefined],
    ["a function", () => 1],
    ["half of a surrogate pair", "\ud800"],
    ["half of a surrogate pair in a key", { "\udc00": 1 }],
  ])("refuses %s, which has no canonical form", (_what, value) => {
    expect(() => canonicalJson(value)).toThrow(
      expect.objectContaining({ code: "ASSAY_INVARIANT" }),
    );
  });

  it("keeps a key named __proto__", () => {
    expect(canonicalJson(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe(
      '{"__proto__":{"a":2},"b":1}',
    );
  });

  it("is a fixed point: what it writes, read again, is written alike", () => {
    void fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = canonicalJson(value);

        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(JSON.parse(text)).toStrictEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
