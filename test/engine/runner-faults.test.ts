import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentTaskRunner, AssayError, type Trial } from "assay";
import { FakeClock } from "assay/testing";
import { describe, expect, it } from "vitest";
import {
  bench,
  completed,
  constant,
  eager,
  folder,
  places,
  runner,
  runTarget,
  runWithClock,
  storedRows,
  tasks,
} from "./run-kit.ts";

/** Yields these values, whatever was planned. */
function yielding(...values: unknown[]): AgentTaskRunner {
  return runner(async function* () {
    yield* values as Trial[];
  });
}

const spent = (costUsd: number) => ({
  cause: "ended",
  fault: "none",
  errorType: null,
  startedAt: "2026-08-01T10:00:00.000000Z",
  durationMs: 5,
  costUsd,
});

function warnings(events: readonly { readonly type: string }[]): string[] {
  return events.flatMap((event) =>
    event.type === "warning" ? [(event as unknown as { message: string }).message] : [],
  );
}

describe("a runner that gives what was not planned", () => {
  const strays: [what: string, value: unknown, says: string][] = [
    ["a trial of an unknown task", completed("elsewhere"), '"elsewhere"'],
    ["a trial of an index that was not planned", completed("t0", 7), "7 was not planned"],
    ["the same trial twice", completed("t0"), "a second time"],
    ["nothing", null, "null"],
    ["a string", "trial", "a string"],
    ["a trial without an index", { ...completed("t0"), trialIndex: undefined }, "undefined"],
  ];

  it.each(strays)(
    "has %s dropped with a warning, and the rest kept",
    async (_what, value, says) => {
      const { rows, result, events } = await runTarget(yielding(completed("t0"), value));

      expect(rows.trials).toHaveLength(1);
      expect(rows.scores).toHaveLength(1);
      expect(result).toMatchObject({ status: "completed", exitCode: 0 });
      expect(warnings(events)).toEqual([expect.stringContaining(says)]);
    },
  );

  it.each([
    ["an unknown status", { status: "done" }, "status"],
    ["a completed trial without an output", { output: null }, "output"],
    ["an unknown key", { colour: "red" }, "colour"],
    ["metadata that is no JSON data", { metadata: { f: () => 1 } }, "metadata"],
    ["a ledger of another shape", { attempts: [{ cause: "weather" }] }, "attempts"],
    ["no id", { id: undefined }, "id"],
  ])("has a trial with %s kept as a failed one", async (_what, more, says) => {
    const { rows, result, workDir } = await runTarget(
      yielding({ ...completed("t0"), ...more }, completed("t1")),
      { tasks: tasks(2) },
    );

    expect(rows.trials).toMatchObject([
      { status: "failed", error: { type: "RunnerError", message: expect.stringContaining(says) } },
      { status: "completed" },
    ]);
    expect(storedRows(workDir, "attempts.jsonl")).toHaveLength(2);
    expect(result).toMatchObject({ status: "completed", exitCode: 4 });
  });

  it.each([
    ["its ledger", { attempts: [spent(1), spent(2)] }, [1, 2]],
    ["its measurements", { measurements: { ...completed("t0").measurements, costUsd: 3 } }, [3]],
  ])("has a wrong trial keep what it has cost by %s", async (_what, more, costs) => {
    const wrong = { ...completed("t0"), ...more, metadata: { f: () => 1 } };
    const { rows, workDir } = await runTarget(yielding(wrong));

    expect(rows.trials).toMatchObject([{ status: "failed", error: { type: "RunnerError" } }]);
    expect(storedRows(workDir, "attempts.jsonl").map((row) => row["cost_usd"])).toEqual(costs);
    expect(storedRows(workDir, "attempts.jsonl").at(-1)).toMatchObject({
      fault: "infrastructure",
      error_type: "RunnerError",
    });
  });

  it("has the second of two trials with one id kept under another, with a warning", async () => {
    const { rows, events } = await runTarget(
      yielding(completed("t0"), { ...completed("t0", 1), id: "t0:stand_in" }),
      { config: { trialsPerTask: 2 } },
    );

    expect(rows.trials.map(({ id }) => id)).toEqual(["t0:stand_in", "t0:stand_in#1"]);
    expect(new Set(rows.scores.map(({ id }) => id)).size).toBe(2);
    expect(warnings(events)).toEqual([expect.stringContaining("t0:stand_in#1")]);
  });
});

describe("a runner that gives less than was planned", () => {
  it("has the rest written as missing", async () => {
    const { rows, result, workDir } = await runTarget(
      yielding(completed("t0"), completed("t1", 1)),
      {
        tasks: tasks(2),
        config: { trialsPerTask: 2 },
      },
    );

    expect(rows.trials.map(({ id, status }) => [id, status]).sort()).toEqual([
      ["t0:missing:1", "failed"],
      ["t0:stand_in", "completed"],
      ["t1:missing:0", "failed"],
      ["t1:stand_in:1", "completed"],
    ]);
    expect(rows.trials.find(({ id }) => id === "t0:missing:1")?.error).toMatchObject({
      type: "MissingTrial",
    });
    expect(rows.scores).toHaveLength(4);
    expect(result).toMatchObject({ status: "incomplete", exitCode: 4 });
    expect(result.statusCause).toContain('"t0" (index 1), "t1" (index 0)');
    expect(result.summary.errorTrialIds["MissingTrial"]).toEqual(["t0:missing:1", "t1:missing:0"]);
    expect(await result.formatSummary()).toContain("t0:missing:1");
    expect(
      storedRows(workDir, "attempts.jsonl").filter(({ cause }) => cause === "missing"),
    ).toMatchObject([{ fault: "infrastructure" }, { fault: "infrastructure" }]);
  });

  it("names a few of very many", async () => {
    const { result } = await runTarget(yielding(), { tasks: tasks(40) });

    expect(result.statusCause).toContain("and 35 more");
    expect(result.summary.trialCount).toBe(40);
  });

  it.each([
    [
      "throws midway",
      runner(async function* () {
        yield completed("t0");
        throw new Error("the backend is gone");
      }),
      "the backend is gone",
      1,
    ],
    [
      "throws at once",
      runner(() => {
        throw new Error("never started");
      }),
      "never started",
      0,
    ],
    ["gives no stream", runner((() => [completed("t0")]) as never), "async iterable", 0],
    ["gives a promise", runner((async () => {}) as never), "async iterable", 0],
  ])("and %s has what it gave kept, and its error told", async (_what, target, says, kept) => {
    const { rows, result, events, leftovers } = await runTarget(target, { tasks: tasks(3) });

    expect(rows.trials.filter(({ status }) => status === "completed")).toHaveLength(kept);
    const missing = rows.trials.filter(({ error }) => error?.type === "MissingTrial");
    expect(missing).toHaveLength(3 - kept);
    expect(missing[0]?.error?.message).toContain(says);
    expect(result).toMatchObject({ status: "incomplete", exitCode: 4 });
    expect(result.statusCause).toContain(says);
    expect(warnings(events)).toEqual([expect.stringContaining(says)]);
    expect(leftovers()).toEqual([]);
  });

  it("and throws an error that knows a remedy has it told, once", async () => {
    const { events, result } = await runTarget(
      runner(() => {
        throw new AssayError("ASSAY_TOOL_UNUSABLE", "its servers were late", {
          remedy: "Give them more time.",
        });
      }),
    );

    const failure = "the runner ended with an error: its servers were late";
    expect(warnings(events)).toEqual([`${failure}\n  fix: Give them more time.`]);
    expect(result.statusCause?.endsWith(failure)).toBe(true);
  });

  it("is whole all the same when it throws after its last trial", async () => {
    const { result, events } = await runTarget(
      runner(async function* () {
        yield completed("t0");
        throw new Error("while closing");
      }),
    );

    expect(result).toMatchObject({ status: "completed", exitCode: 0, statusCause: null });
    expect(warnings(events)).toEqual([expect.stringContaining("while closing")]);
  });
});

describe("a runner that does not end", () => {
  it("after its signal is left behind, and what is finished is kept", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    let hasReturned = false;
    const stubborn = runner(() => ({
      [Symbol.asyncIterator]: () => {
        let given = 0;
        return {
          next: () => {
            given += 1;
            if (given === 1) return Promise.resolve({ done: false, value: completed("t0") });
            stop.abort("SIGINT");
            return new Promise<never>(() => {});
          },
          return: () => {
            hasReturned = true;
            return new Promise<never>(() => {});
          },
        };
      },
    }));

    const { rows, result, leftovers } = await runWithClock(clock, stubborn, {
      tasks: tasks(2),
      config: { signal: stop.signal },
    });

    expect(rows.trials.map(({ id }) => id)).toEqual(["t0:stand_in"]);
    expect(result).toMatchObject({ status: "interrupted", exitCode: 130 });
    expect(hasReturned).toBe(true);
    expect(leftovers()).toEqual([]);
  });

  it("at its disposal costs a warning", async () => {
    const { result, events } = await runWithClock(
      new FakeClock(),
      eager({ dispose: () => new Promise(() => {}) }),
    );

    expect(result.status).toBe("completed");
    expect(warnings(events)).toEqual([expect.stringContaining("disposed")]);
  });
});

describe("a runner whose disposal throws", () => {
  it("costs a warning, before the run is told to have ended", async () => {
    const { result, events, leftovers } = await runTarget(
      eager({
        dispose: async () => {
          throw new Error("still busy");
        },
      }),
    );

    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
    expect(events.slice(-2)).toMatchObject([
      { type: "warning", message: expect.stringContaining("still busy") },
      { type: "run-end" },
    ]);
    expect(leftovers()).toEqual([]);
  });

  it("does not hide why nothing could be run", async () => {
    const here = bench();
    const target = eager({
      probe: async () => {
        throw new Error("no tool");
      },
      dispose: async () => {
        throw new Error("still busy");
      },
    });

    await expect(
      here.evaluator.run({ tasks: tasks(1), metrics: [constant()], target }),
    ).rejects.toThrow("no tool");
    expect(here.leftovers()).toEqual([]);
  });
});

describe("aggregates of a runner", () => {
  const scalar = (name: string, value = 0.6) => ({
    name,
    scoreType: "scalar" as const,
    value,
    count: 1,
    nanCount: 0,
    sum: null,
    mean: null,
    min: null,
    max: null,
    median: null,
    stdDev: null,
    variance: null,
    sampleStdDev: null,
    sampleVariance: null,
  });

  it("stand in the summary", async () => {
    const { result, events } = await runTarget(
      eager({ runAggregateScores: () => [scalar("runner.stand_in.pass@1")] }),
    );

    expect(result.summary.scores.scores).toContainEqual(
      expect.objectContaining({ name: "runner.stand_in.pass@1", value: 0.6 }),
    );
    expect(warnings(events)).toEqual([]);
  });

  it("under somebody else's name are dropped with a warning that names them", async () => {
    const { result, events } = await runTarget(
      eager({
        runAggregateScores: () => [
          scalar("runner.stand_in.kept"),
          scalar("runner.gym.reward"),
          scalar("gym_reward"),
        ],
      }),
    );

    const names = result.summary.scores.scores.map(({ name }) => name);
    expect(names).toContain("runner.stand_in.kept");
    expect(names).not.toContain("runner.gym.reward");
    expect(warnings(events)).toEqual([
      expect.stringMatching(/runner\.gym\.reward.*gym_reward|gym_reward.*runner\.gym\.reward/),
    ]);
  });

  it.each([
    [
      "throw",
      () => {
        throw new Error("no figures");
      },
    ],
    ["are no list", () => 5],
    ["come as a promise", async () => []],
  ])("that %s cost a warning, not the run", async (_what, runAggregateScores) => {
    const { result, events } = await runTarget(
      eager({ runAggregateScores: runAggregateScores as never }),
    );

    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
    expect(warnings(events)).toHaveLength(1);
  });
});

describe("a directory that a runner gives back", () => {
  it("is removed as soon as its evidence is imported", async () => {
    let wasThere = true;
    const { rows } = await runTarget(
      runner(async function* (plan, { scratch }) {
        for (const { taskId } of places(plan)) {
          const directory = join(scratch, taskId);
          mkdirSync(directory);
          writeFileSync(join(directory, "out.txt"), "kept");
          yield completed(taskId, 0, {
            scratchDirectory: directory,
            evidence: {
              descriptors: {
                out: {
                  kind: "file",
                  ref: join(directory, "out.txt"),
                  format: "text",
                  data: null,
                  description: null,
                  metadata: {},
                },
              },
              metadata: {},
            },
          });
        }
        // By the time the last of many trials was taken, the first one has passed.
        while (existsSync(join(scratch, "t0")))
          await new Promise((resolve) => setImmediate(resolve));
        wasThere = existsSync(join(scratch, "t0"));
      }),
      { tasks: tasks(3) },
    );

    expect(wasThere).toBe(false);
    expect(rows.trials[0]?.evidence?.descriptors["out"]?.ref).toMatch(/^evidence\//);
  });

  it("is left alone when it lies outside the run's scratch", async () => {
    const precious = folder();
    writeFileSync(join(precious, "thesis.txt"), "precious");
    const { result, events } = await runTarget(
      yielding({ ...completed("t0"), scratchDirectory: precious }),
    );

    expect(existsSync(join(precious, "thesis.txt"))).toBe(true);
    expect(result.status).toBe("completed");
    expect(warnings(events)).toEqual([expect.stringContaining(precious)]);
  });
});
