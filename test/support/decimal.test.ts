import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { Decimal } from "../../packages/assay/src/support/decimal.ts";

const sumOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum.plus(value), Decimal.zero).toNumber();

describe("an exact sum", () => {
  it.each<[readonly number[], number]>([
    [[], 0],
    [Array.from({ length: 10 }, () => 0.05), 0.5],
    [[0.1, 0.2], 0.3],
    [[1e16, 1, -1e16], 1],
    [[1.5e-7, 2.5e-9, 12, 3e2], 312.0000001525],
    [[5e-324, 1.7e308, -1.7e308], 5e-324],
    [[1.7e308, 1.7e308], Number.POSITIVE_INFINITY],
    [[-0.05, -0], -0.05],
  ])("of %j is %d", (values, expected) => {
    expect(sumOf(values)).toBe(expected);
  });

  it("of amounts in a thousandth of a cent is that of their counts", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 1e9 })), (counts) => {
        const total = counts.reduce((sum, count) => sum + count, 0);
        expect(sumOf(counts.map((count) => count / 1e5))).toBe(total / 1e5);
      }),
    );
  });

  it("is the same in any order", () => {
    const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
    const shuffled = fc
      .array(finite)
      .chain((values) =>
        fc.tuple(
          fc.constant(values),
          fc.shuffledSubarray(values, { minLength: values.length, maxLength: values.length }),
        ),
      );
    fc.assert(
      fc.property(shuffled, ([values, others]) => {
        expect(sumOf(others)).toBe(sumOf(values));
      }),
    );
  });
});
