import { describe, expect, it } from "vitest";

import type { Reducer } from "../../packages/assay/src/schema/task.ts";
import { reduceSignals } from "../../packages/assay/src/statistics/reducers.ts";

const signals = (values: readonly (number | null)[], weights: readonly (number | null)[] = []) =>
  values.map((value, index) => ({ value, weight: weights[index] ?? null }));

describe("reducers", () => {
  it.each<[Reducer, (number | null)[], (number | null)[], number | null]>([
    ["single", [0.3, 1], [], 0.3],
    ["all", [0.3, 1, 0.2], [], 0.2],
    ["any", [0.3, 1, 0.2], [], 1],
    ["mean", [0, 1, 0.5], [], 0.5],
    ["weighted_mean", [1, 0], [3, 1], 0.75],
    ["weighted_mean", [1, 0], [3, null], 0.75],
    ["weighted_mean", [1, 0], [], 0.5],
    ["weighted_mean", [1, 0], [1, -1], null],
    ["weighted_mean", [1, 0], [2, -1], 2],
    ["weighted_mean", [1, 1], [0, 0], null],
  ])("%s of %j with weights %j is %j", (reducer, values, weights, expected) => {
    expect(reduceSignals(reducer, signals(values, weights))).toBe(expected);
  });

  it.each<Reducer>(["single", "all", "any", "mean", "weighted_mean"])(
    "%s has no value when any signal, wherever it stands, has none",
    (reducer) => {
      for (const absent of [null, Number.NaN, Number.POSITIVE_INFINITY]) {
        expect(reduceSignals(reducer, signals([1, absent]))).toBeNull();
        expect(reduceSignals(reducer, signals([absent, 1]))).toBeNull();
      }
    },
  );
});
