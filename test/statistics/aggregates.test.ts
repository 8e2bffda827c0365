import { describe, expect, it } from "vitest";

import { rangeAggregate, rubricAggregate } from "../../packages/assay/src/statistics/aggregates.ts";
import { sortSample } from "../../packages/assay/src/statistics/sample.ts";

describe("range aggregate", () => {
  it("counts observations without a usable value as not a number", () => {
    const aggregate = rangeAggregate({
      name: "m.o",
      sample: sortSample([1, Number.NaN, 0]),
      total: 5,
    });

    expect(aggregate).toMatchObject({
      name: "m.o",
      scoreType: "range",
      count: 2,
      nanCount: 3,
      mean: 0.5,
    });
    expect(aggregate.percentiles?.p50).toBe(0.5);
    expect(aggregate.histogram?.bins).toHaveLength(10);
  });

  it("of nothing usable is a name and its counts", () => {
    expect(rangeAggregate({ name: "m.o", sample: sortSample([]), total: 2 })).toMatchObject({
      count: 0,
      nanCount: 2,
      mean: null,
      percentiles: null,
      histogram: null,
    });
  });
});

describe("rubric aggregate", () => {
  it("lists labels by alphabet and gives a tie to the first of them", () => {
    const labels = new Map([
      ["poor", 2],
      ["good", 2],
      ["fair", 1],
    ]);

    const aggregate = rubricAggregate({ name: "judge.grade", labels, total: 6 });

    expect(aggregate).toMatchObject({ count: 5, nanCount: 1, mean: null, modeCategory: "good" });
    expect(aggregate.rubricDistribution).toEqual([
      { label: "fair", value: null, count: 1 },
      { label: "good", value: null, count: 2 },
      { label: "poor", value: null, count: 2 },
    ]);
  });

  it("without any label has no mode", () => {
    const aggregate = rubricAggregate({ name: "judge.grade", labels: new Map(), total: 3 });

    expect(aggregate).toMatchObject({ count: 0, nanCount: 3, modeCategory: null });
  });
});
