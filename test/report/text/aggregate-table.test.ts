import { describe, expect, it } from "vitest";

import { aggregateLines } from "../../../packages/assay/src/report/text/aggregate-table.ts";
import { type Aggregate, aggregateSchema } from "../../../packages/assay/src/schema/summary.ts";

const range = (name: string, mean: number | null, more: object = {}): Aggregate =>
  aggregateSchema.parse({
    name,
    scoreType: "range",
    count: 4,
    mean,
    min: 0,
    max: 1,
    percentiles: Object.fromEntries(
      [10, 20, 30, 40, 50, 60, 70, 80, 90, 100].map((p) => [`p${p}`, p / 100]),
    ),
    ...more,
  });
const passes = (name: string, ks: readonly number[], more: object = {}) =>
  ks.map((k) => range(`${name}.pass@${k}`, k / 100, more));
const textOf = (aggregates: readonly Aggregate[], width = 80) =>
  aggregateLines(aggregates, width).join("\n");

describe("aggregate scores as text", () => {
  it("have pass@k of an output as its columns, and no column that says nothing", () => {
    expect(textOf([range("m.out", 0.5), range("view.all", 0.25), ...passes("m.out", [1, 2])])).toBe(
      [
        "name      count  mean  min  max  p50  pass@1  pass@2",
        "--------  -----  ----  ---  ---  ---  ------  ------",
        "m.out         4   0.5    0    1  0.5    0.01    0.02",
        "view.all      4  0.25    0    1  0.5       -       -",
      ].join("\n"),
    );
  });

  it("say where values are missing", () => {
    expect(textOf([range("m.out", 0.5, { nanCount: 2 })])).toMatch(
      /nan_count.*\n.*\nm\.out +4 +2 /,
    );
  });

  it("say of how many tasks pass@k is, where it is not of all", () => {
    const text = textOf([
      range("m.out", 1),
      ...passes("m.out", [1]),
      ...passes("m.out", [2, 3], { count: 3, nanCount: 1 }),
    ]);

    expect(text).toMatch(/\nm\.out: pass@2 over 3 of 4, pass@3 over 3 of 4 tasks$/);
  });

  it("stand in a table for each kind: figures, labels, figures of a runner", () => {
    const statistics = { count: 3, rubricDistribution: [] };
    const rubric = { name: "m.tone", scoreType: "rubric", modeCategory: "kind", ...statistics };
    const scalar = { name: "runner.r.elo", scoreType: "scalar", value: 1200 };

    expect(
      textOf([range("m.out", 0.5), aggregateSchema.parse(rubric), aggregateSchema.parse(scalar)]),
    ).toBe(
      [
        "name   count  mean  min  max  p50",
        "-----  -----  ----  ---  ---  ---",
        "m.out      4   0.5    0    1  0.5",
        "name    count  mode_category",
        "------  -----  -------------",
        "m.tone      3  kind",
        "name          value",
        "------------  -----",
        "runner.r.elo   1200",
      ].join("\n"),
    );
  });

  it("of one name twice, and pass@k of no output, keep rows of their own", () => {
    const names = textOf([
      range("m.out", 0),
      range("m.out", 1),
      ...passes("m.out", [1, 1]),
      ...passes("runner.r.other", [1]),
    ])
      .split("\n")
      .slice(2)
      .map((line) => line.split(" ")[0]);

    expect(names).toEqual(["m.out", "m.out", "m.out.pass@1", "runner.r.other.pass@1"]);
  });

  it("give up p50, then the extremes, then ks between powers of two, and say so", () => {
    const name = "command-verifier-of-anybody.score";
    const text = (ks: readonly number[]) => textOf([range(name, 0.5), ...passes(name, ks)]);

    expect(text([1, 2])).not.toContain("no room");
    expect(text([1, 2, 3])).toMatch(/\n\(no room for p50\)$/);
    expect(text([1, 2, 3, 4])).toMatch(/\n\(no room for min, max, p50\)$/);
    expect(text([1, 2, 3, 4, 5])).toMatch(/\n\(no room for min, max, p50, pass@3\)$/);
    expect(text([1, 2, 3, 4, 5, 6, 7])).toMatch(
      /\(no room for min, max, p50, pass@3 and 2 more\)$/,
    );
  });

  it("with the longest names keep their figures below the names", () => {
    const name = `${"a-long-name-of-a-metric".repeat(3)}.out`;

    expect(textOf([range(name, 0.5), ...passes(name, [1])])).toBe(
      [
        "name  count  mean  min  max  p50  pass@1",
        "----  -----  ----  ---  ---  ---  ------",
        name,
        "          4   0.5    0    1  0.5    0.01",
      ].join("\n"),
    );
  });
});
