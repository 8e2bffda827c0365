import type { RunEvent } from "assay";
import { FakeClock } from "assay/testing";
import { describe, expect, it } from "vitest";

import { resumable } from "./resume-kit.ts";
import { completed, refusal, runner, runWithClock, tasks } from "./run-kit.ts";

const used = (promptTokens: number, costUsd: number | null) => ({
  measurements: {
    promptTokens,
    completionTokens: 10,
    totalTokens: null,
    cacheCreationTokens: null,
    cacheReadTokens: null,
    runtimeSec: null,
    costUsd,
  },
});

/** Tells when so many trials have been reported. */
function reports() {
  let count = 0;
  let wake = () => {};
  return {
    onEvent: ({ type }: RunEvent) => {
      if (type === "trial-end") count += 1;
      wake();
    },
    reached: async (wanted: number) => {
      while (count < wanted) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

type Reports = ReturnType<typeof reports>;

/** Begins a trial after the other until it is told to begin no more. */
function spending(costUsd: number | null, began: string[], reported: Reports) {
  return runner(async function* (plan, { closing }) {
    for (const { task } of plan.tasks) {
      if (closing.aborted) return;
      began.push(task.id);
      yield completed(task.id, 0, used(90, costUsd));
      await reported.reached(began.length);
    }
  });
}

async function runLimited(config: object, costUsd: number | null = 0.5) {
  const began: string[] = [];
  const reported = reports();
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent) => {
    events.push(event);
    reported.onEvent(event);
  };
  const run = await runWithClock(new FakeClock(), spending(costUsd, began, reported), {
    tasks: tasks(10),
    config: { ...config, onEvent },
  });
  return { ...run, began, events };
}

describe("a limit on spending", () => {
  it.each([
    ["maxCostUsd", { maxCostUsd: 1 }, 2, "1 USD spent, 1 allowed"],
    ["maxTokens", { maxTokens: 250 }, 3, "300 tokens used, 250 allowed"],
  ])("%s begins no further trial once it is reached", async (_name, config, count, text) => {
    const { result, began, rows } = await runLimited(config);

    expect(began).toHaveLength(count);
    expect(rows.trials).toHaveLength(count);
    expect(rows.scores).toHaveLength(count);
    expect(result).toMatchObject({ status: "incomplete", exitCode: 4 });
    expect(result.statusCause).toContain(text);
  });

  it("that is not reached changes nothing", async () => {
    const { result } = await runLimited({
      maxCostUsd: 100,
      maxTokens: 100_000,
      maxDurationS: 1e9,
    });

    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
  });

  it("of what no attempt reports is told, and has no effect", async () => {
    const { result, events } = await runLimited({ maxCostUsd: 1 }, null);

    expect(result.status).toBe("completed");
    const told = events.filter(
      (event) => event.type === "warning" && event.message.includes("max-cost has no effect"),
    );
    expect(told).toHaveLength(1);
  });

  it("on time lets the trials that run go on to their end", async () => {
    const clock = new FakeClock();
    const slow = runner(async function* (plan, context) {
      for (const { task } of plan.tasks) {
        if (context.closing.aborted) return;
        await context.clock.sleep(4000, context.signal);
        yield completed(task.id);
      }
    });

    const { result, rows } = await runWithClock(clock, slow, {
      tasks: tasks(10),
      config: { maxDurationS: 10 },
    });

    expect(result).toMatchObject({ status: "incomplete", exitCode: 4 });
    expect(rows.trials.map(({ status }) => status)).toEqual([
      "completed",
      "completed",
      "completed",
    ]);
  });

  it("on failed trials counts those of earlier starts", async () => {
    const run = resumable({ agent: () => Symbol("no reply"), config: { maxFailedTrials: 2 } });
    expect(await run.start()).toMatchObject({ status: "incomplete", exitCode: 4 });
    const calls = run.calls.length;

    const again = await run.resume();

    expect(again.status).toBe("incomplete");
    expect(run.calls).toHaveLength(calls);
  });

  it("is raised by resuming with a higher one", async () => {
    const run = resumable({ agent: () => Symbol("no reply"), config: { maxFailedTrials: 2 } });
    await run.start();

    const again = await run.resume({ agent: () => "yes", config: { maxFailedTrials: 100 } });

    expect(again.status).toBe("completed");
    expect(run.rows("trials.jsonl")).toHaveLength(6);
  });

  it.each([
    { maxCostUsd: 0 },
    { maxTokens: 1.5 },
    { maxDurationS: -1 },
    { maxFailedTrials: Number.NaN },
  ])("that can be none is refused: %o", async (config) => {
    expect(await refusal(() => resumable().start({ config }))).toMatchObject({ exitCode: 2 });
  });
});

describe("the breaker", () => {
  const failing = (type: string, fault: "environment" | "infrastructure", from = 0) => {
    const began: string[] = [];
    const reported = reports();
    const target = runner(async function* (plan, { closing }) {
      for (const [index, { task }] of plan.tasks.entries()) {
        if (closing.aborted) return;
        began.push(task.id);
        const failed = completed(task.id, 0, {
          status: "failed",
          output: null,
          error: { type, message: "no key", traceback: null, occurredAt: null },
          attempts: [
            {
              cause: "error",
              fault,
              startedAt: "2026-08-01T10:00:00Z",
              durationMs: 1,
              errorType: type,
            },
          ],
        });
        yield index < from ? completed(task.id) : failed;
        await reported.reached(began.length);
      }
    });
    return { began, target, reported };
  };
  const run = ({ target, reported }: Pick<ReturnType<typeof failing>, "target" | "reported">) =>
    runWithClock(new FakeClock(), target, {
      tasks: tasks(10),
      config: { onEvent: reported.onEvent },
    });

  it("ends a run whose first three trials meet the same fault of the environment", async () => {
    const { began, ...kit } = failing("MissingCredential", "environment");

    const { result } = await run(kit);

    expect(began).toHaveLength(3);
    expect(result).toMatchObject({ status: "incomplete", exitCode: 4 });
    expect(result.statusCause).toContain("MissingCredential");
    expect(result.statusCause).toContain("no key");
  });

  it("ends a run whose agent is refused by its endpoint, for a function as for a tool", async () => {
    const target = resumable({
      tasks: tasks(500),
      agent: () => {
        throw Object.assign(new Error("invalid key"), { status: 401 });
      },
      config: { trialsPerTask: 1 },
    });

    const result = await target.start();

    expect(target.calls.length).toBeLessThan(500);
    expect(result).toMatchObject({ status: "incomplete", exitCode: 4 });
    expect(result.statusCause).toContain("(MissingCredential): the agent was refused");
    const mended = { agent: () => "yes", config: { retryFailed: true } };
    expect(await target.resume(mended)).toMatchObject({ status: "completed", exitCode: 0 });
  });

  it.each([
    ["faults of the infrastructure", failing("ConnectionError", "infrastructure")],
    ["a fault that the first trial did not meet", failing("MissingCredential", "environment", 1)],
  ])("lets a run go on through %s", async (_what, { began, ...kit }) => {
    await run(kit);

    expect(began).toHaveLength(10);
  });
});

it("counts money exactly, over all starts and before the next trial begins", async () => {
  const run = resumable({
    tasks: tasks(20),
    agent: (_id, _index, { usage }) => {
      usage.add({ costUsd: 0.03 });
      usage.add({ costUsd: 0.02 });
      return "yes";
    },
    config: { trialsPerTask: 1 },
  });

  for (const [maxCostUsd, count] of [
    [0.15, 3],
    [0.5, 10],
    [0.7, 14],
  ] as const) {
    const result = await (count === 3 ? run.start : run.resume)({ config: { maxCostUsd } });
    expect(result).toMatchObject({ status: "incomplete", exitCode: 4 });
    expect(result.statusCause).toContain(`${maxCostUsd} USD spent, ${maxCostUsd} allowed`);
    expect(run.calls).toHaveLength(count);
  }
  expect(run.document("provenance.json")).toMatchObject({
    predicate: { usage: { attempts: 14, cost_usd: 0.7 } },
  });
});
