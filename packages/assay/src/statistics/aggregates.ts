import type { RangeAggregate, RubricAggregate } from "../schema/summary.ts";
import { compareText } from "../support/natural-order.ts";
import { histogramOf } from "./histogram.ts";
import { percentilesOf } from "./percentiles.ts";
import { figuresOf, type SortedSample, sortSample } from "./sample.ts";

export interface RangeInput {
  readonly name: string;
  readonly sample: SortedSample;
  /** Observations in all, with a finite value or without. */
  readonly total: number;
}

/** Statistics of an output that is a number; booleans enter as 0 and 1. */
export function rangeAggregate({ name, sample, total }: RangeInput): RangeAggregate {
  return {
    name,
    ...figuresOf(sample),
    nanCount: Math.max(total - sample.length, 0),
    scoreType: "range",
    percentiles: percentilesOf(sample),
    histogram: histogramOf(sample),
  };
}

export interface RubricInput {
  readonly name: string;
  /** How often each label was given. */
  readonly labels: ReadonlyMap<string, number>;
  readonly total: number;
}

/** Distribution of an output that is a label, by alphabet; a tie for the most frequent goes to the first. */
export function rubricAggregate({ name, labels, total }: RubricInput): RubricAggregate {
  const sorted = [...labels].sort(([a], [b]) => compareText(a, b));
  let count = 0;
  let mode: { readonly label: string; readonly count: number } | null = null;
  for (const [label, times] of sorted) {
    count += times;
    if (mode === null || times > mode.count) mode = { label, count: times };
  }
  return {
    name,
    ...figuresOf(sortSample([])),
    count,
    nanCount: Math.max(total - count, 0),
    scoreType: "rubric",
    rubricDistribution: sorted.map(([label, times]) => ({ label, value: null, count: times })),
    modeCategory: mode?.label ?? null,
  };
}
