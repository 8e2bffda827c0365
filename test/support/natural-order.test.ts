import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { compareNatural } from "../../packages/assay/src/support/natural-order.ts";

describe("natural order", () => {
  it("counts as people do", () => {
    const ids = ["t:gym:10", "t:gym:2", "t:gym", "a10b2", "a10b10", "a2", "t:gym:02", "B", "b"];

    expect(ids.sort(compareNatural)).toEqual([
      "B",
      "a2",
      "a10b2",
      "a10b10",
      "b",
      "t:gym",
      "t:gym:02",
      "t:gym:2",
      "t:gym:10",
    ]);
  });

  it("is total: antisymmetric, transitive, and 0 for equal texts only", () => {
    const id = fc.string({ unit: fc.constantFrom("a", "B", ":", "0", "1", "9"), maxLength: 6 });
    fc.assert(
      fc.property(id, id, id, (a, b, c) => {
        expect(Math.sign(compareNatural(a, b)) + Math.sign(compareNatural(b, a))).toBe(0);
        expect(compareNatural(a, b) === 0).toBe(a === b);
        if (compareNatural(a, b) < 0 && compareNatural(b, c) < 0)
          expect(compareNatural(a, c)).toBeLessThan(0);
      }),
      { numRuns: 2000 },
    );
  });
});
