import { callable } from "assay/runners";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bench, completed, deferred, metric, places, runner, runTarget, tasks } from "./run-kit.ts";

describe("scoring", () => {
  it("begins with the first trial, while others still run", async () => {
    const firstScore = deferred();
    const slow = runner(async function* (plan) {
      const [first, ...rest] = places(plan);
      yield completed(first?.taskId ?? "");
      await firstScore.promise;
      for (const { taskId } of rest) yield completed(taskId);
    });
    const scored = metric("scored", () => {
      firstScore.resolve();
      return { outputs: { score: 1 } };
    });

    const { events } = await runTarget(slow, { tasks: tasks(3), metrics: [scored] });

    const order = events.flatMap((event) =>
      event.type === "trial-end" || event.type === "score-end" ? [event.type] : [],
    );
    expect(order.indexOf("score-end")).toBeLessThan(order.lastIndexOf("trial-end"));
  });

  it("that is slow does not keep a runner waiting", async () => {
    const runnerEnded = deferred();
    const fast = runner(async function* (plan) {
      for (const { taskId } of places(plan)) yield completed(taskId);
      runnerEnded.resolve();
    });
    const slow = metric("slow", async () => {
      await runnerEnded.promise;
      return { outputs: { score: 1 } };
    });

    const { result } = await runTarget(fast, {
      tasks: tasks(200),
      metrics: [slow],
      config: { scoringConcurrency: 1 },
    });

    expect(result.status).toBe("completed");
  });
});

describe("concurrency", () => {
  it("of trials and of scores is never exceeded, and each has its own", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 3 }),
        async (concurrency, scoringConcurrency, taskCount, trialsPerTask) => {
          const running = meter();
          const scoring = meter();
          const { rows } = await runTarget(
            callable({ name: "agent", agent: () => running.during(() => "yes") }),
            {
              tasks: tasks(taskCount),
              metrics: [
                metric("one", () => scoring.during(() => ({ outputs: { score: 1 } }))),
                metric("two", () => scoring.during(() => ({ outputs: { score: 1 } }))),
              ],
              config: { concurrency, scoringConcurrency, trialsPerTask },
            },
          );

          expect(rows.scores).toHaveLength(taskCount * trialsPerTask * 2);
          expect(running.most).toBe(Math.min(concurrency, taskCount * trialsPerTask));
          expect(scoring.most).toBeLessThanOrEqual(scoringConcurrency);
          expect(scoring.most).toBeGreaterThan(0);
        },
      ),
      { numRuns: 15 },
    );
  });

  it("of a runner's own option wins over the run's", async () => {
    const running = meter();
    await runTarget(
      callable({ name: "agent", agent: () => running.during(() => "yes"), parallelism: 1 }),
      { tasks: tasks(5), config: { concurrency: 4 } },
    );

    expect(running.most).toBe(1);
  });
});

describe("trials that come all at once", () => {
  it("are all kept", async () => {
    const here = bench();
    const result = await here.evaluator.run({
      tasks: tasks(50),
      metrics: [metric("one", () => ({ outputs: { score: 1 } }))],
      target: runner((plan) =>
        allAtOnce(places(plan).map(({ taskId, trialIndex }) => completed(taskId, trialIndex))),
      ),
      config: { trialsPerTask: 20, workDir: here.workDir },
    });

    expect(result.status).toBe("completed");
    expect(result.summary.trialCount).toBe(1000);
  });
});

/** Values that are there before they are asked for. */
function allAtOnce<T>(values: readonly T[]): AsyncIterable<T> {
  const rest = [...values];
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const value = rest.shift();
        return Promise.resolve(
          value === undefined ? { done: true, value: undefined } : { done: false, value },
        );
      },
    }),
  };
}

/** How much goes on at once. */
function meter() {
  let now = 0;
  const self = {
    most: 0,
    async during<T>(work: () => T): Promise<T> {
      now += 1;
      self.most = Math.max(self.most, now);
      // Two turns of the loop: long enough for everything that may begin to have begun.
      await new Promise((resolve) => setImmediate(resolve));
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      return work();
    },
  };
  return self;
}
