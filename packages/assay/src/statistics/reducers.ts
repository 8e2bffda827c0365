import type { Reducer } from "../schema/task.ts";
import { compensatedSum } from "./sum.ts";

export interface Signal {
  /** Null where the output has no value that a view can use. */
  readonly value: number | null;
  /** Missing counts as 1; only `weighted_mean` reads it. */
  readonly weight: number | null;
}

/** The one value of a view, or null when a signal has none, is not finite, or the weights add up to 0. */
export function reduceSignals(reducer: Reducer, signals: readonly Signal[]): number | null {
  const values: number[] = [];
  for (const { value } of signals) {
    if (value === null || !Number.isFinite(value)) return null;
    values.push(value);
  }
  const reduced = values.length === 0 ? Number.NaN : reduce(reducer, values, signals);
  return Number.isFinite(reduced) ? reduced : null;
}

function reduce(reducer: Reducer, values: readonly number[], signals: readonly Signal[]): number {
  switch (reducer) {
    case "single":
      return values[0] ?? Number.NaN;
    case "all":
      return Math.min(...values);
    case "any":
      return Math.max(...values);
    case "mean":
      return compensatedSum(values) / values.length;
    case "weighted_mean": {
      const weights = signals.map(({ weight }) => weight ?? 1);
      const weighted = values.map((value, index) => value * (weights[index] ?? 1));
      return compensatedSum(weighted) / compensatedSum(weights);
    }
  }
}
