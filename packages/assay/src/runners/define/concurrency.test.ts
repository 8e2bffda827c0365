import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { runTrials } from "../../../../../test/support/run-trials.ts";
import { standInRunner } from "../../../../../test/support/stand-in-runner.ts";
import { operational } from "../../support/options.ts";
import { defineRunner } from "./define-runner.ts";

/** Watches how many attempts are at work at once. */
function watched(work: () => Promise<void> = async () => {}) {
  const state = { now: 0, most: 0, order: [] as string[] };
  const make = defineRunner({
    name: "watched",
    description: "For tests.",
    needs: [],
    options: { parallelism: operational(z.int().positive().nullable().default(null), "a count") },
    timeLimitS: () => null,
    concurrency: ({ parallelism }) => parallelism,
    trialIdSuffix: () => "w",
    async run({ id }, { trialIndex }) {
      state.order.push(`${id}#${trialIndex}`);
      state.now += 1;
      state.most = Math.max(state.most, state.now);
      await work();
      state.now -= 1;
      return { output: `${id}#${trialIndex}` };
    },
  });
  return { make, state };
}

const tick = () => new Promise<void>((resolve) => setImmediate(resolve));
const tasks = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `t${index}`, inputs: {} }));

describe("trials at once", () => {
  it.each([
    [null, 3, 3],
    [1, 3, 1],
    [5, 3, 5],
    [100, 3, 12],
  ])("parallelism %s in a run of concurrency %i: %i", async (parallelism, concurrency, most) => {
    const { make, state } = watched(tick);

    await runTrials(make({ parallelism }), tasks(6), { trialIndexes: [0, 1], concurrency });

    expect(state.most).toBe(most);
  });

  it("are begun in the order of the plan", async () => {
    const { make, state } = watched(tick);

    await runTrials(make({}), tasks(3), { trialIndexes: [0, 2], concurrency: 2 });

    expect(state.order).toStrictEqual(["t0#0", "t0#2", "t1#0", "t1#2", "t2#0", "t2#2"]);
  });

  it("give the same trials, whatever the concurrency and the order in which they end", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 9 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 5 }),
        async (concurrency, ticks) => {
          let turn = 0;
          const { make } = watched(async () => {
            turn += 1;
            for (let left = ticks[turn % ticks.length] ?? 0; left > 0; left -= 1) await tick();
          });

          const trials = await runTrials(make({}), tasks(4), {
            trialIndexes: [0, 1, 5],
            concurrency,
          });

          const told = trials.map(
            ({ id, taskId, trialIndex, output }) =>
              `${id} ${taskId} ${trialIndex} ${output?.outputText}`,
          );
          expect(told.sort()).toStrictEqual(
            tasks(4)
              .flatMap(({ id }) => [
                `${id}:w ${id} 0 ${id}#0`,
                `${id}:w:1 ${id} 1 ${id}#1`,
                `${id}:w:5 ${id} 5 ${id}#5`,
              ])
              .sort(),
          );
        },
      ),
      { numRuns: 15 },
    );
  });

  it("come as they end, while others are still at work", async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const runner = standInRunner(async ({ id }) => {
      if (id === "t0") await held;
      else release();
      return { output: id };
    });

    // The first task ends only once the second has: a stream that waited for its order would never end.
    const trials = await runTrials(runner, tasks(2), { concurrency: 2 });

    expect(trials.map(({ taskId }) => taskId).sort()).toStrictEqual(["t0", "t1"]);
  });

  it("may be ten thousand", async () => {
    const { make, state } = watched();
    const trialIndexes = Array.from({ length: 1000 }, (_, index) => index);

    const trials = await runTrials(make({}), tasks(10), { trialIndexes, concurrency: 8 });

    expect(new Set(trials.map(({ id }) => id)).size).toBe(10_000);
    expect(trials.every(({ status }) => status === "completed")).toBe(true);
    expect(state.most).toBeLessThanOrEqual(8);
  });
});
