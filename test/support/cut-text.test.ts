import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { cutMark, cutText } from "../../packages/assay/src/support/cut-text.ts";

describe("cutting a text", () => {
  it.each([
    { text: "abc", max: 3, cut: "abc" },
    { text: "abcd", max: 3, cut: `abc${cutMark}` },
    { text: "ab😀", max: 3, cut: `ab${cutMark}` },
    { text: "a😀b", max: 3, cut: `a😀${cutMark}` },
  ])("of $text at $max leaves $cut", ({ text, max, cut }) => {
    expect(cutText(text, max)).toBe(cut);
  });

  it("never parts a character", () => {
    const whole = fc.string({ unit: "binary" });
    fc.assert(
      fc.property(whole, fc.nat(30), (text, max) => {
        expect(Buffer.from(cutText(text, max)).toString("utf8")).toBe(cutText(text, max));
      }),
    );
  });
});
