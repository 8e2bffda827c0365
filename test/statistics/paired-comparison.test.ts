import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { comparePairs } from "../../packages/assay/src/statistics/paired-comparison.ts";

const pair = (a: readonly number[], b: readonly number[]) => ({
  a: Float64Array.from(a),
  b: Float64Array.from(b),
});

describe("comparing two runs task by task", () => {
  it.each([
    {
      of: "no task",
      pairs: [],
      expected: { pairCount: 0, meanA: null, meanB: null, change: null, unpairedCount: 0 },
    },
    {
      of: "tasks with one trial each",
      pairs: [pair([0], [1]), pair([1], [1]), pair([1], [0]), pair([0], [1])],
      expected: {
        pairCount: 4,
        meanA: 0.5,
        meanB: 0.75,
        change: 0.25,
        higherCount: 2,
        lowerCount: 1,
        equalCount: 1,
      },
    },
    {
      of: "tasks with more trials in one of them: each task counts once",
      pairs: [pair([1, 1, 1, 1], [1]), pair([0], [0, 1])],
      expected: { pairCount: 2, meanA: 0.5, meanB: 0.75, higherCount: 1, equalCount: 1 },
    },
    {
      of: "tasks without a value on one side",
      pairs: [pair([], [1]), pair([1], []), pair([], []), pair([1], [0])],
      expected: { pairCount: 1, meanA: 1, meanB: 0, change: -1, unpairedCount: 3 },
    },
    {
      of: "values that are not finite",
      pairs: [pair([Number.NaN, 1], [Infinity]), pair([1, Number.NaN], [1])],
      expected: { pairCount: 1, unpairedCount: 1, equalCount: 1 },
    },
  ])("of $of", ({ pairs, expected }) => {
    expect(comparePairs(pairs)).toMatchObject(expected);
  });

  it("tells the same for any order of the trials of a task", () => {
    const values = fc.array(fc.double({ noDefaultInfinity: true }), { maxLength: 8 });
    const shuffled = values.chain((list) =>
      fc.tuple(
        fc.constant(list),
        fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }),
      ),
    );
    fc.assert(
      fc.property(fc.array(shuffled, { maxLength: 6 }), (tasks) => {
        const { pairCount, equalCount, unpairedCount } = comparePairs(
          tasks.map(([a, b]) => pair(a, b)),
        );
        expect(equalCount).toBe(pairCount);
        expect(pairCount + unpairedCount).toBe(tasks.length);
      }),
    );
  });

  it("turns around when the runs change places", () => {
    const values = fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(fc.array(fc.tuple(values, values), { maxLength: 6 }), (tasks) => {
        const there = comparePairs(tasks.map(([a, b]) => pair(a, b)));
        const back = comparePairs(tasks.map(([a, b]) => pair(b, a)));

        expect([back.meanA, back.meanB]).toEqual([there.meanB, there.meanA]);
        expect([back.higherCount, back.lowerCount]).toEqual([there.lowerCount, there.higherCount]);
      }),
    );
  });
});
