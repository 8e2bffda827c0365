import { figuresOf, sortSample } from "./sample.ts";

/** The values of one task in two runs, one per trial. Trials of a task are alike, so their order says nothing. */
export interface ValuePair {
  readonly a: Float64Array;
  readonly b: Float64Array;
}

/** Two runs over the tasks that both have, each task counting once however many trials it has. */
export interface PairedComparison {
  /** Tasks with a value in both runs. */
  readonly pairCount: number;
  /** Mean of the task means; null without a pair. */
  readonly meanA: number | null;
  readonly meanB: number | null;
  /** `meanB - meanA`; null without a pair. */
  readonly change: number | null;
  /** Tasks whose mean is higher in the second run, lower, and the same. */
  readonly higherCount: number;
  readonly lowerCount: number;
  readonly equalCount: number;
  /** Tasks with a value in one of the runs alone, or in none. They enter nothing else. */
  readonly unpairedCount: number;
}

/** Compares two runs task by task. What is not finite counts as no value. */
export function comparePairs(pairs: Iterable<ValuePair>): PairedComparison {
  const means: { readonly a: number[]; readonly b: number[] } = { a: [], b: [] };
  const counts = { higherCount: 0, lowerCount: 0, equalCount: 0, unpairedCount: 0 };
  for (const pair of pairs) {
    const [a, b] = [meanOf(pair.a), meanOf(pair.b)];
    if (a === null || b === null) {
      counts.unpairedCount += 1;
      continue;
    }
    means.a.push(a);
    means.b.push(b);
    if (b > a) counts.higherCount += 1;
    else if (b < a) counts.lowerCount += 1;
    else counts.equalCount += 1;
  }
  const [meanA, meanB] = [meanOf(means.a), meanOf(means.b)];
  const change = differenceOf(meanA, meanB);
  return { pairCount: means.a.length, meanA, meanB, change, ...counts };
}

/** Of the finite values, the same for any order of them; null without one. */
export function meanOf(values: Iterable<number>): number | null {
  return figuresOf(sortSample(values)).mean;
}

/** `b - a`, or null where one of them is not known. */
export function differenceOf(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : b - a;
}
