import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { passAtK, passAtKSteps } from "../../packages/assay/src/statistics/pass-at-k.ts";

/** Share of all k-subsets of n trials, the first c of which pass, that hold a pass. */
function byCounting(n: number, c: number, k: number): number {
  let subsets = 0;
  let passing = 0;
  for (let mask = 0; mask < 1 << n; mask += 1) {
    const size = mask.toString(2).replaceAll("0", "").length;
    if (size !== k) continue;
    subsets += 1;
    if ((mask & ((1 << c) - 1)) !== 0) passing += 1;
  }
  return passing / subsets;
}

describe("pass@k", () => {
  it.each([
    [2, 0, 1, 0],
    [2, 2, 1, 1],
    [2, 1, 1, 0.5],
    [2, 1, 2, 1],
    [3, 1, 1, 1 / 3],
    [3, 1, 2, 2 / 3],
    [4, 2, 2, 5 / 6],
    [5, 0, 3, 0],
    [10, 3, 5, 11 / 12],
    [200, 1, 1, 0.005],
  ])("of %i trials with %i passes at k=%i is %d", (trialCount, passCount, k, expected) => {
    expect(passAtK({ trialCount, passCount }, k)).toBeCloseTo(expected, 12);
  });

  it("equals the share of subsets that hold a pass, counted one by one", () => {
    const counts = fc
      .integer({ min: 1, max: 10 })
      .chain((n) => fc.tuple(fc.constant(n), fc.nat(n), fc.integer({ min: 1, max: n })));
    fc.assert(
      fc.property(counts, ([n, c, k]) => {
        expect(passAtK({ trialCount: n, passCount: c }, k)).toBeCloseTo(byCounting(n, c, k), 12);
      }),
    );
  });

  it("is not estimated with fewer than k trials", () => {
    expect(passAtK({ trialCount: 2, passCount: 2 }, 3)).toBeNull();
    expect(passAtK({ trialCount: 0, passCount: 0 }, 1)).toBeNull();
  });

  it.each([
    [1, 2, 1],
    [2, -1, 1],
    [2, 1, 0],
    [2, 0.5, 1],
  ])("refuses %d trials with %d passes at k=%d", (trialCount, passCount, k) => {
    expect(() => passAtK({ trialCount, passCount }, k)).toThrow(/0 ≤ passes ≤ trials/);
  });
});

describe("the values of k", () => {
  it.each([
    [0, []],
    [1, [1]],
    [3, [1, 2, 3]],
    [16, Array.from({ length: 16 }, (_, index) => index + 1)],
    [17, [...Array.from({ length: 16 }, (_, index) => index + 1), 17]],
    [64, [...Array.from({ length: 16 }, (_, index) => index + 1), 32, 64]],
    [1000, [...Array.from({ length: 16 }, (_, index) => index + 1), 32, 64, 128, 256, 512, 1000]],
  ])("up to %i are %j", (maxK, expected) => {
    expect(passAtKSteps(maxK)).toEqual(expected);
  });
});
