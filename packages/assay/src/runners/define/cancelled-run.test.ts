import { FakeClock } from "assay/testing";
import { describe, expect, it } from "vitest";

import { startTrials } from "../../../../../test/support/run-trials.ts";
import {
  limits,
  onAbort,
  type Run,
  runAt,
  runnerOf,
  tasksNamed,
} from "../../../../../test/support/slow-runner.ts";

describe("a cancelled run", () => {
  it("gives no row for a trial whose agent stops, throws, ignores it, or says that it was stopped", async () => {
    const clock = new FakeClock();
    const ends: Record<string, Run> = {
      throws: ({ signal }) => onAbort(signal, () => signal.throwIfAborted() as never),
      fails: ({ signal }) =>
        onAbort(signal, () => {
          throw new Error("interrupted");
        }),
      ignores: () => new Promise(() => {}),
      blank: ({ signal }) => onAbort(signal, () => ({ output: "" })),
      explains: ({ signal }) =>
        onAbort(signal, () => ({
          output: "half",
          error: { type: "AgentExitError", message: "SIGTERM" } as const,
        })),
    };
    const runner = runnerOf((context, id) => (ends[id] as Run)(context, id));
    const { trials, cancel } = await startTrials(runner, tasksNamed(...Object.keys(ends)), {
      clock,
      limits,
      concurrency: 5,
    });
    await clock.whenSleeping(5);

    cancel();
    await clock.advance(1000);

    expect(await trials).toStrictEqual([]);
  });

  it("keeps a reply within the grace from an agent that never looked at its signal: it is finished work", async () => {
    const clock = new FakeClock();
    const { trials, cancel } = await runAt(
      clock,
      async () => {
        await clock.sleep(5_000);
        return { output: "5" };
      },
      "a",
      "never begun",
    );
    await clock.whenSleeping(2);

    await clock.advance(4_900);
    cancel();
    await clock.advance(200);

    expect(await trials).toMatchObject([
      { id: "a:s", status: "completed", output: { outputText: "5" } },
    ]);
  });

  it("gives no row for a reply of an agent that looked at its signal: it may be half of one", async () => {
    const clock = new FakeClock();
    const { trials, cancel } = await runAt(
      clock,
      ({ signal }) => onAbort(signal, () => ({ output: "what I have so far" })),
      "a",
    );
    await clock.whenSleeping();

    cancel();
    await clock.advance(1_000);

    expect(await trials).toStrictEqual([]);
  });

  it("keeps a trial that reached its time limit before", async () => {
    const clock = new FakeClock();
    const { trials, cancel } = await runAt(clock, () => new Promise(() => {}), "a");
    await clock.whenSleeping();

    await clock.advance(10_100);
    cancel();
    await clock.advance(1_000);

    expect(await trials).toMatchObject([{ status: "partial", error: { type: "TimeoutError" } }]);
  });

  it("hands its reason on to the agents", async () => {
    const clock = new FakeClock();
    const reasons: unknown[] = [];
    const { trials, cancel } = await runAt(
      clock,
      ({ signal }) =>
        onAbort(signal, () => {
          reasons.push(signal.reason);
          throw signal.reason;
        }),
      "a",
    );
    await clock.whenSleeping();

    cancel("enough");
    await clock.advance(1000);
    await trials;

    expect(reasons).toStrictEqual(["enough"]);
  });

  it("begins nothing more, also when its reader just stops reading", async () => {
    const begun: string[] = [];
    const runner = runnerOf(async (_context, id) => {
      begun.push(id);
      return { output: id };
    }, null);
    const { context } = await startTrials(runner, []);
    const tasks = tasksNamed("a", "b", "c", "d").map((task, taskIndex) => ({
      task: { ...task, intent: "", reference: {}, views: {}, metadata: {}, metrics: [] },
      taskIndex,
      trialIndexes: [0],
    }));

    for await (const trial of runner.runTasks(
      { tasks, trialsPerTask: 1, trialCount: 4 },
      { ...context, concurrency: 1 },
    )) {
      expect(trial.taskId).toBe("a");
      break;
    }
    await context.clock.sleep(20);

    expect(begun.length).toBeLessThan(4);
  });
});
