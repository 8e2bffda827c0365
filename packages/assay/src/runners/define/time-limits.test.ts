import { FakeClock } from "assay/testing";
import { describe, expect, it } from "vitest";

import { startTrials } from "../../../../../test/support/run-trials.ts";
import { onAbort, runAt, runnerOf, tasksNamed } from "../../../../../test/support/slow-runner.ts";
import type { AttemptContext } from "./attempt-context.ts";

describe("the time limit of a trial", () => {
  it("leaves a trial alone that ends a moment before it", async () => {
    const clock = new FakeClock();
    const { trials } = await runAt(
      clock,
      async () => {
        await clock.sleep(9_999);
        return { output: "5" };
      },
      "a",
    );
    await clock.whenSleeping(2);

    await clock.advance(60_000);

    expect(await trials).toMatchObject([
      { status: "completed", measurements: { runtimeSec: 9.999 } },
    ]);
  });

  it("keeps what an agent says that ends when it is stopped, and calls it partial", async () => {
    const clock = new FakeClock();
    const { trials } = await runAt(
      clock,
      ({ signal, usage, step }) => {
        usage.add({ promptTokens: 7 });
        step({ message: "so far so good" });
        return onAbort(signal, () => ({ output: "half" }));
      },
      "a",
    );
    await clock.whenSleeping();

    await clock.advance(10_000);

    const [trial] = await trials;
    expect(trial).toMatchObject({
      status: "partial",
      output: { outputText: "half" },
      error: { type: "TimeoutError", message: "the agent did not end within its 10 s" },
      measurements: { promptTokens: 7, runtimeSec: 10 },
      attempts: [
        {
          cause: "timeout",
          fault: "target",
          errorType: "TimeoutError",
          durationMs: 10_000,
          promptTokens: 7,
        },
      ],
    });
    expect(trial?.evidence?.descriptors["trace"]).toMatchObject({ kind: "trace", format: "atif" });
  });

  it.each<[string, () => never]>([
    [
      "throws the signal's reason",
      () => {
        throw new DOMException("stop", "AbortError");
      },
    ],
    [
      "throws an error of its own",
      () => {
        throw new Error("interrupted");
      },
    ],
  ])("is what counts when an agent that is stopped %s", async (_what, end) => {
    const clock = new FakeClock();
    const { trials } = await runAt(clock, ({ signal }) => onAbort(signal, end), "a");
    await clock.whenSleeping();

    await clock.advance(10_000);

    expect(await trials).toMatchObject([
      { status: "partial", output: null, error: { type: "TimeoutError" } },
    ]);
  });

  it("gives the agent a reason that says what happened", async () => {
    const clock = new FakeClock();
    const { trials } = await runAt(
      clock,
      ({ signal }) => onAbort(signal, () => ({ output: (signal.reason as Error).name })),
      "a",
    );
    await clock.whenSleeping();

    await clock.advance(10_000);

    expect(await trials).toMatchObject([{ output: { outputText: "TimeoutError" } }]);
  });

  it("frees the slot of an agent that ignores it, after the grace", async () => {
    const clock = new FakeClock();
    const begun: string[] = [];
    const { trials } = await runAt(
      clock,
      async (_context, id) => {
        begun.push(id);
        return id === "deaf" ? await new Promise<never>(() => {}) : { output: id };
      },
      "deaf",
      "next",
    );
    await clock.whenSleeping();

    await clock.advance(10_999);
    expect(begun).toStrictEqual(["deaf"]);
    await clock.advance(1);

    expect(await trials).toMatchObject([
      {
        id: "deaf:s",
        status: "partial",
        error: { type: "TimeoutError", message: expect.stringContaining("was abandoned") },
      },
      { id: "next:s", status: "completed" },
    ]);
  });

  it("takes nothing from an abandoned agent any more, and makes no folders for it", async () => {
    const clock = new FakeClock();
    let late: AttemptContext<unknown> | null = null;
    const run = await runAt(
      clock,
      (context) => {
        late = context;
        context.usage.add({ promptTokens: 1 });
        return new Promise(() => {});
      },
      "deaf",
    );
    await clock.whenSleeping();
    await clock.advance(20_000);
    const [trial] = await run.trials;

    const { usage, step, evidence, workspaceSync } = late as unknown as AttemptContext<unknown>;
    expect(() => usage.add({ promptTokens: 100 })).toThrow("the attempt is over");
    expect(() => step({ message: "late" })).toThrow("the attempt is over");
    expect(() => evidence.add("late", { kind: "x", data: 1 })).toThrow("the attempt is over");
    expect(() => workspaceSync()).toThrow("the attempt is over");
    expect(trial).toMatchObject({ evidence: null, measurements: { promptTokens: 1 } });
    expect(await run.context.files.list(run.context.scratch)).toStrictEqual(["assay-scratch.json"]);
  });

  it("is none when the runner says null", async () => {
    const clock = new FakeClock();
    const runner = runnerOf(async () => {
      await clock.sleep(1e9);
      return { output: "5" };
    }, null);
    const { trials } = await startTrials(runner, tasksNamed("a"), { clock });
    await clock.whenSleeping();

    await clock.advance(1e9);

    expect(await trials).toMatchObject([
      { status: "completed", measurements: { runtimeSec: 1e6 } },
    ]);
  });

  it("starts with the attempt, not with the run: those who wait for a slot lose nothing", async () => {
    const clock = new FakeClock();
    const { trials } = await runAt(
      clock,
      async () => {
        await clock.sleep(9_000);
        return { output: "5" };
      },
      "a",
      "b",
      "c",
    );

    for (let turn = 0; turn < 3; turn += 1) {
      await clock.whenSleeping(2);
      await clock.advance(9_000);
    }

    const [a, b, c] = await trials;
    expect([a, b, c].map((trial) => trial?.status)).toStrictEqual([
      "completed",
      "completed",
      "completed",
    ]);
    expect([a, b, c].map((trial) => trial?.attempts?.[0]?.queueMs)).toStrictEqual([
      0, 9_000, 18_000,
    ]);
  });
});
