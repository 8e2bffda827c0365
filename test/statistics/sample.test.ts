import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { histogramOf } from "../../packages/assay/src/statistics/histogram.ts";
import { percentilesOf } from "../../packages/assay/src/statistics/percentiles.ts";
import { figuresOf, percentileOf, sortSample } from "../../packages/assay/src/statistics/sample.ts";
import { compensatedSum } from "../../packages/assay/src/statistics/sum.ts";

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const shuffled = <T>(values: readonly T[]) =>
  fc.shuffledSubarray([...values], { minLength: values.length });
const sampleAndPermutation = fc
  .array(fc.double(), { maxLength: 60 })
  .chain((values) => fc.tuple(fc.constant(values), shuffled(values)));

const describeAll = (values: readonly number[]) => {
  const sample = sortSample(values);
  return JSON.stringify([figuresOf(sample), percentilesOf(sample), histogramOf(sample)]);
};

describe("compensatedSum", () => {
  it.each([
    [[1, 1e100, 1, -1e100], 2],
    [Array.from({ length: 10 }, () => 0.1), 1],
    [[], 0],
    [[Number.MAX_VALUE, Number.MAX_VALUE], Number.POSITIVE_INFINITY],
  ])("of %j is %d", (values, sum) => {
    expect(compensatedSum(values)).toBe(sum);
  });
});

describe("figures", () => {
  it("of ten values agree with population and sample formulas", () => {
    const figures = figuresOf(sortSample([1, 1, 0, 0, 1, 1, 1, 1, 0, 0]));

    expect(figures).toMatchObject({ count: 10, sum: 6, mean: 0.6, min: 0, max: 1, median: 1 });
    expect(figures.variance).toBeCloseTo(0.24, 15);
    expect(figures.stdDev).toBeCloseTo(Math.sqrt(0.24), 15);
    expect(figures.sampleVariance).toBeCloseTo(2.4 / 9, 15);
    expect(figures.sampleStdDev).toBeCloseTo(Math.sqrt(2.4 / 9), 15);
  });

  it("of one value have no spread, and no sample spread at all", () => {
    expect(figuresOf(sortSample([5]))).toEqual({
      count: 1,
      sum: 5,
      mean: 5,
      min: 5,
      max: 5,
      median: 5,
      stdDev: 0,
      variance: 0,
      sampleStdDev: null,
      sampleVariance: null,
    });
  });

  it("of no value are a count of 0 and nothing else", () => {
    const { count, ...others } = figuresOf(sortSample([]));

    expect(count).toBe(0);
    expect(new Set(Object.values(others))).toEqual(new Set([null]));
  });

  it("of equal values have exactly that mean and no variance", () => {
    fc.assert(
      fc.property(finite, fc.integer({ min: 1, max: 50 }), (value, count) => {
        const figures = figuresOf(sortSample(new Array<number>(count).fill(value)));

        expect(figures).toMatchObject({ mean: value + 0, variance: 0 });
      }),
    );
  });

  it("leave non-finite values out wherever they stand", () => {
    const [first, last] = [
      [Number.NaN, 1],
      [1, Number.NaN],
    ].map(sortSample);

    expect(first).toEqual(last);
    expect(first).toEqual(Float64Array.of(1));
    expect(sortSample([Number.POSITIVE_INFINITY, 2, Number.NEGATIVE_INFINITY])).toEqual(
      Float64Array.of(2),
    );
  });

  it("that a double cannot hold are null, while the mean still is right", () => {
    const figures = figuresOf(sortSample([Number.MAX_VALUE, Number.MAX_VALUE / 2]));

    expect(figures).toMatchObject({ sum: null, variance: null });
    expect(figures.mean).toBeCloseTo(Number.MAX_VALUE * 0.75, -300);
  });

  it("are bit-identical for every permutation of the values", () => {
    fc.assert(
      fc.property(sampleAndPermutation, ([values, permuted]) => {
        expect(describeAll(permuted)).toBe(describeAll(values));
      }),
    );
  });
});

describe("percentiles", () => {
  it.each([
    [
      [1, 2, 3, 4],
      [1, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4, 4],
    ],
    [
      [0, 1],
      [0, 0, 0, 0.2, 0.5, 0.8, 1, 1, 1, 1],
    ],
    [
      [0, 0, 0, 0, 1, 1, 1, 1, 1, 1],
      [0, 0, 0, 0.4, 1, 1, 1, 1, 1, 1],
    ],
    [[5], [5, 5, 5, 5, 5, 5, 5, 5, 5, 5]],
  ])("of %j are %j", (values, expected) => {
    const percentiles = Object.values(percentilesOf(sortSample(values)) ?? {});

    expect(percentiles).toHaveLength(10);
    for (const [index, value] of percentiles.entries())
      expect(value).toBeCloseTo(expected[index] ?? Number.NaN, 12);
  });

  it("rise from the minimum to the maximum and stay finite", () => {
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1, maxLength: 40 }), (values) => {
        const sample = sortSample(values);
        const percents = Array.from({ length: 101 }, (_, percent) => percentileOf(sample, percent));

        expect(percents.every(Number.isFinite)).toBe(true);
        expect(percents[0]).toBe(sample[0]);
        expect(percents[100]).toBe(sample.at(-1));
        expect(percents).toEqual([...percents].sort((a, b) => a - b));
      }),
    );
  });

  it("of nothing are null", () => {
    expect(percentilesOf(sortSample([]))).toBeNull();
  });
});

describe("histogram", () => {
  it("has one closed bin when all values are equal", () => {
    expect(histogramOf(sortSample([3, 3]))).toEqual({
      bins: [{ lowerBound: 3, upperBound: 3, count: 2 }],
    });
  });

  it("keeps the maximum that rounding of the last edge would lose", () => {
    const bins = histogramOf(sortSample([0, 0.11]))?.bins ?? [];

    expect(bins).toHaveLength(10);
    expect(bins.at(-1)).toMatchObject({ upperBound: 0.11, count: 1 });
    expect(bins[0]).toMatchObject({ lowerBound: 0, count: 1 });
  });

  it("puts a value on an inner edge into the bin above it", () => {
    const counts = histogramOf(sortSample([0, 1, 2, 5, 9.5, 10]))?.bins.map(({ count }) => count);

    expect(counts).toEqual([1, 1, 1, 0, 0, 1, 0, 0, 0, 2]);
  });

  it("counts every value exactly once in a bin that holds it", () => {
    const twoDecimals = fc.integer({ min: -1000, max: 1000 }).map((value) => value / 100);
    fc.assert(
      fc.property(fc.array(fc.oneof(finite, twoDecimals), { minLength: 1 }), (values) => {
        const sample = sortSample(values);
        const bins = histogramOf(sample)?.bins ?? [];
        const last = bins.length - 1;
        const held = bins.map(
          ({ lowerBound, upperBound }, index) =>
            sample.filter(
              (v) => v >= lowerBound && (index === last ? v <= upperBound : v < upperBound),
            ).length,
        );

        expect(bins.map(({ count }) => count)).toEqual(held);
        expect(held.reduce((sum, count) => sum + count, 0)).toBe(sample.length);
      }),
    );
  });

  it("of nothing is null", () => {
    expect(histogramOf(sortSample([]))).toBeNull();
  });
});
