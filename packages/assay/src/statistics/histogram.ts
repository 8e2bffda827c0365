import type { HistogramBin } from "../schema/summary.ts";
import type { SortedSample } from "./sample.ts";

const binCount = 10;

/**
 * Ten equal bins, each without its upper bound but the last, whose upper bound is the exact maximum; one bin when all
 * values are equal; null for an empty sample. The counts always add up to the number of values.
 */
export function histogramOf(sample: SortedSample): { readonly bins: HistogramBin[] } | null {
  const min = sample[0];
  const max = sample.at(-1);
  if (min === undefined || max === undefined) return null;
  if (min === max) return { bins: [{ lowerBound: min, upperBound: max, count: sample.length }] };
  const edges = edgesOf(min, max);
  const counts = countBetween(sample, edges);
  const bins = counts.map((count, index) => ({
    lowerBound: edges[index] ?? min,
    upperBound: edges[index + 1] ?? max,
    count,
  }));
  return { bins };
}

/** Divided before they are subtracted, since the span of two finite values can overflow. */
function edgesOf(min: number, max: number): number[] {
  const width = max / binCount - min / binCount;
  const edges = Array.from({ length: binCount }, (_, index) => Math.min(min + index * width, max));
  return [...edges, max];
}

function countBetween(sample: SortedSample, edges: readonly number[]): number[] {
  const counts = new Array<number>(binCount).fill(0);
  let bin = 0;
  for (const value of sample) {
    while (bin < binCount - 1 && value >= (edges[bin + 1] ?? value)) bin += 1;
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}
