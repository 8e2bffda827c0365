import { describe, expect, it } from "vitest";

import { diffScores } from "../../../packages/assay/src/engine/diff/score-diff.ts";
import { ScoreValues } from "../../../packages/assay/src/engine/diff/score-values.ts";
import type { TaskMetricValue } from "../../../packages/assay/src/schema/summary.ts";
import { setOwn } from "../../../packages/assay/src/support/json.ts";

type Value = number | boolean | string | null;

/** Labels are texts, a trial that failed is null. */
function records(values: readonly Value[]): TaskMetricValue[] {
  return values.map((value, index) => {
    const valueType = value === null ? "missing" : typeof value === "string" ? "label" : "number";
    return { trialId: `trial:${index}`, valueType, value };
  });
}

function scoresOf(tasks: Readonly<Record<string, Readonly<Record<string, readonly Value[]>>>>) {
  const taskMetricValues: Record<string, Record<string, TaskMetricValue[]>> = {};
  for (const [taskId, outputs] of Object.entries(tasks)) {
    const lists: Record<string, TaskMetricValue[]> = {};
    for (const [output, values] of Object.entries(outputs)) setOwn(lists, output, records(values));
    setOwn(taskMetricValues, taskId, lists);
  }
  return new ScoreValues({ taskMetricValues }, Object.keys(tasks));
}

function diffOf(a: readonly Value[], b: readonly Value[], comparesCounts = true) {
  const [diff] = diffScores({
    a: scoresOf({ t: { "m.o": a } }),
    b: scoresOf({ t: { "m.o": b } }),
    taskIds: ["t"],
    comparesCounts,
  });
  return [...(diff?.changes() ?? [])];
}

describe("the scores of a task in two bundles", () => {
  it.each<[string, readonly Value[], readonly Value[]]>([
    ["equal values", [1, 0.5], [1, 0.5]],
    ["the same values in another order", [0.1, 0.2, 0.3], [0.3, 0.1, 0.2]],
    ["booleans and the numbers they are", [true, false], [1, 0]],
    ["labels in another order", ["yes", "no"], ["no", "yes"]],
    ["no values at all", [], []],
    ["the same trials failed", [null, 1], [1, null]],
    ["equally many values that are not finite", [Number.NaN, 1], [1, Infinity]],
  ])("are the same with %s", (_what, a, b) => {
    expect(diffOf(a, b)).toEqual([]);
  });

  it.each<[string, readonly Value[], readonly Value[], object]>([
    ["another mean", [0, 1], [1, 1], { a: { mean: 0.5 }, b: { mean: 1 }, change: 0.5 }],
    ["a value where there was none", [], [1], { a: { mean: null, count: 0 }, change: null }],
    ["a failed trial", [1, null], [1, 1], { a: { count: 1, failedCount: 1 }, b: { count: 2 } }],
    ["a value that is not finite", [1, Number.NaN], [1, 1], { a: { count: 1 }, b: { count: 2 } }],
    [
      "another label",
      ["yes", "no"],
      ["yes", "yes"],
      { a: { mean: null, labels: { no: 1, yes: 1 } }, b: { labels: { yes: 2 } } },
    ],
    ["a label in place of a number", [1], ["1"], { a: { mean: 1 }, b: { mean: null } }],
  ])("differ with %s", (_what, a, b, expected) => {
    expect(diffOf(a, b)).toMatchObject([{ taskId: "t", ...expected }]);
  });

  it.each<[readonly Value[], readonly Value[], number]>([
    [[1, 1], [1, 1, 1], 0],
    [["yes", "no"], ["yes", "no", "no", "yes"], 0],
    [["yes", "no"], ["yes", "no", "no"], 1],
    [[1, 1], [1, 1, null], 1],
  ])("%j and %j, of runs with other numbers of trials, differ %d times", (a, b, count) => {
    expect(diffOf(a, b, false)).toHaveLength(count);
  });

  it("are paired for the outputs that both have, on the tasks that both have, in plan order", () => {
    const a = scoresOf({
      z: { "m.o": [0], "m.gone": [1] },
      a: { "m.o": [0] },
      only: { "m.o": [1] },
    });
    const b = scoresOf({ a: { "m.o": [1] }, z: { "m.o": [1], "m.new": [1] } });

    const diffs = diffScores({ a, b, taskIds: ["z", "a"], comparesCounts: true });

    expect(diffs.map(({ output, changedCount }) => [output, changedCount])).toEqual([["m.o", 2]]);
    expect([...(diffs[0]?.changes() ?? [])].map(({ taskId }) => taskId)).toEqual(["z", "a"]);
    expect(diffs[0]?.comparison).toMatchObject({
      pairCount: 2,
      higherCount: 2,
      meanA: 0,
      meanB: 1,
    });
  });

  it("may have names that objects have of their own", () => {
    const names = ["__proto__", "constructor", "toString"];
    const side = (value: Value) =>
      scoresOf(
        Object.fromEntries(names.map((name) => [name, Object.fromEntries([[name, [value]]])])),
      );

    const diffs = diffScores({
      a: side("__proto__"),
      b: side("constructor"),
      taskIds: names,
      comparesCounts: true,
    });

    expect(diffs.map(({ output }) => output)).toEqual(names);
    for (const { changes } of diffs) {
      const [change] = changes();
      expect(Object.entries(change?.a.labels ?? {})).toEqual([["__proto__", 1]]);
    }
  });
});
