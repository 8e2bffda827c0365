import { describe, expect, it } from "vitest";

import {
  aggregateSchema,
  summarySchema,
  type TaskMetricValue,
} from "../../packages/assay/src/schema/summary.ts";
import {
  headlineValue,
  metricValues,
  numericMetricValues,
  taskOutcomes,
} from "../../packages/assay/src/statistics/summary-values.ts";

const records: TaskMetricValue[] = [
  { trialId: "t:0", valueType: "number", value: 3 },
  { trialId: "t:1", valueType: "number", value: true },
  { trialId: "t:2", valueType: "label", value: "NaN" },
  { trialId: "t:3", valueType: "number", value: "NaN" },
  { trialId: "t:4", valueType: "missing", value: null },
];

describe("values of records", () => {
  it("keep their type; a number that strict JSON stored as text is a number again", () => {
    expect(metricValues(records)).toEqual([3, true, "NaN", Number.NaN, null]);
  });

  it("as numbers are booleans as 0 and 1, null for missing, and no labels", () => {
    expect(numericMetricValues(records)).toEqual([3, 1, Number.NaN, null]);
  });
});

describe("headline value", () => {
  it.each([
    [{ name: "a", scoreType: "range", mean: 0.5, max: 1 }, 0.5],
    [{ name: "a", scoreType: "range" }, null],
    [{ name: "a", scoreType: "rubric", rubricDistribution: [], mean: 2 }, 2],
    [{ name: "a", scoreType: "scalar", value: 0.25, mean: 0.9 }, 0.25],
  ])("of %j is %j", (aggregate, expected) => {
    expect(headlineValue(aggregateSchema.parse(aggregate))).toBe(expected);
  });
});

describe("task outcomes", () => {
  const summary = summarySchema.parse({
    taskMetricValues: {
      t2: { "m.b": [], "m.a": [records[0]] },
      t1: { "m.a": [] },
      t3: { "x.y": [] },
    },
  });

  it("come by task, then metric", () => {
    const keys = [...taskOutcomes(summary)].map(({ taskId, metric }) => `${taskId} ${metric}`);

    expect(keys).toEqual(["t1 m.a", "t2 m.a", "t2 m.b", "t3 x.y"]);
  });

  it("of one metric drop tasks that never declared it and keep those without values", () => {
    expect([...taskOutcomes(summary, "m.a")]).toEqual([
      { taskId: "t1", metric: "m.a", values: [] },
      { taskId: "t2", metric: "m.a", values: [records[0]] },
    ]);
  });
});
