import { compensatedSum } from "./sum.ts";

/** Finite values in ascending order: what every figure is made from, so that the order of arrival cannot show. */
export type SortedSample = Float64Array;

/** Figures over a sample. Null: not defined for so few values, or too large for a double. */
export interface Figures {
  readonly count: number;
  readonly sum: number | null;
  readonly mean: number | null;
  readonly min: number | null;
  readonly max: number | null;
  readonly median: number | null;
  readonly stdDev: number | null;
  readonly variance: number | null;
  readonly sampleStdDev: number | null;
  readonly sampleVariance: number | null;
}

/** Drops what is not finite and sorts; the input is left as it is. Negative zero becomes zero. */
export function sortSample(values: Iterable<number>): SortedSample {
  return sortOwnSample(Float64Array.from(values));
}

/** The same where the input is not needed any more: it is sorted itself, for a million values are 8 MB. */
export function sortOwnSample(values: Float64Array): SortedSample {
  let count = 0;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    values[count] = value + 0;
    count += 1;
  }
  return values.subarray(0, count).sort();
}

/**
 * Population variance is Σ(v−mean)²/n, the sample's Σ(v−mean)²/(n−1) and null below two values;
 * the median is the 50th percentile of `percentileOf`.
 */
export function figuresOf(sample: SortedSample): Figures {
  const count = sample.length;
  const min = sample[0];
  const max = sample[count - 1];
  if (min === undefined || max === undefined) return { count: 0, ...noFigures };
  const sum = compensatedSum(sample);
  const mean = meanOf(sample, sum);
  const squares = compensatedSum(sample, (value) => (value - mean) ** 2);
  const variance = squares / count;
  const sampleVariance = count < 2 ? null : squares / (count - 1);
  return {
    count,
    sum: figure(sum),
    mean,
    min,
    max,
    median: percentileOf(sample, 50),
    stdDev: figure(Math.sqrt(variance)),
    variance: figure(variance),
    sampleStdDev: sampleVariance === null ? null : figure(Math.sqrt(sampleVariance)),
    sampleVariance: sampleVariance === null ? null : figure(sampleVariance),
  };
}

const noFigures = {
  sum: null,
  mean: null,
  min: null,
  max: null,
  median: null,
  stdDev: null,
  variance: null,
  sampleStdDev: null,
  sampleVariance: null,
} as const;

function figure(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** Never outside [min, max], so equal values have exactly that mean and no spread. */
function meanOf(sample: SortedSample, sum: number): number {
  const count = sample.length;
  const mean = Number.isFinite(sum) ? sum / count : compensatedSum(sample, (v) => v / count);
  return Math.min(Math.max(mean, sample[0] ?? mean), sample[count - 1] ?? mean);
}

/**
 * Percentile at position `(p/100)·(n+1) − 1`: at or before the first value it is the first, at or after the last it is
 * the last, between two it is interpolated. The sample must not be empty.
 */
export function percentileOf(sample: SortedSample, percent: number): number {
  const last = sample.length - 1;
  const position = (percent / 100) * (sample.length + 1) - 1;
  if (position <= 0) return at(sample, 0);
  if (position >= last) return at(sample, last);
  const index = Math.floor(position);
  const low = at(sample, index);
  const high = at(sample, index + 1);
  const fraction = position - index;
  const value = low + (high - low) * fraction;
  // The difference of two finite values can overflow.
  return Number.isFinite(value) ? Math.min(value, high) : low * (1 - fraction) + high * fraction;
}

function at(sample: SortedSample, index: number): number {
  return sample[index] ?? Number.NaN;
}
