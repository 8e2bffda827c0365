import { existsSync, readdirSync, readFileSync } from "node:fs";
import { type RunEvent, readBundle } from "assay";
import { callable } from "assay/runners";
import { describe, expect, it } from "vitest";
import { standInRunner } from "../support/stand-in-runner.ts";
import { requireTool } from "../support/tools.ts";
import {
  completed,
  constant,
  deferred,
  filesBelow,
  metric,
  runner,
  runTarget,
  saysYes,
  tasks,
} from "./run-kit.ts";

/** An agent that answers for these tasks and waits for its signal in all others. */
function patient(answers: readonly string[], onWait: () => void = () => {}) {
  return callable({
    name: "patient",
    agent: ({ id }, { signal }) =>
      answers.includes(id)
        ? "yes"
        : new Promise<string>((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(signal.reason));
            onWait();
          }),
  });
}

describe("a run that is cancelled", () => {
  it("before its start runs nothing, and says so in a whole bundle", async () => {
    let hasRun = false;
    const target = runner(async function* () {
      hasRun = true;
      yield completed("t0");
    });

    const { result, rows, workDir, leftovers } = await runTarget(target, {
      config: { signal: AbortSignal.abort("SIGINT") },
    });

    expect(hasRun).toBe(false);
    expect(rows).toEqual({ trials: [], scores: [] });
    expect(result).toMatchObject({ status: "interrupted", statusCause: "SIGINT", exitCode: 130 });
    expect((await readBundle(workDir)).status).toBe("interrupted");
    expect(leftovers()).toEqual([]);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    [undefined, 130],
  ])(
    "by %s during its trials keeps the finished ones, and exits with %i",
    async (reason, exitCode) => {
      const stop = new AbortController();
      const { result, rows, workDir, leftovers } = await runTarget(patient(["t0", "t1"]), {
        tasks: tasks(6),
        metrics: [saysYes()],
        config: {
          signal: stop.signal,
          concurrency: 2,
          onEvent: stopAfter(stop, reason, "score-end", 2),
        },
      });

      expect(rows.trials.map(({ taskId }) => taskId).sort()).toEqual(["t0", "t1"]);
      expect(rows.scores).toHaveLength(2);
      expect(result).toMatchObject({ status: "interrupted", exitCode });
      expect(result.summary.trialCount).toBe(2);
      expect((await readBundle(workDir)).status).toBe("interrupted");
      expect(filesBelow(workDir).filter((path) => /tmp|~/.test(path))).toEqual([]);
      expect(leftovers()).toEqual([]);
    },
  );

  it.each(["SIGTERM", "enough", new Error("SIGTERM")])(
    "by %s exits with the code that is told of its bundle",
    async (reason) => {
      const { result, workDir } = await runTarget(patient([]), {
        config: { signal: AbortSignal.abort(reason) },
      });

      expect(result.exitCode).toBe((await readBundle(workDir)).exitCode);
    },
  );

  it("during its scoring keeps every trial, and the scores that were there", async () => {
    const stop = new AbortController();
    const signals: AbortSignal[] = [];
    const { result, rows, leftovers } = await runTarget(patient(["t0", "t1", "t2"]), {
      tasks: tasks(3),
      metrics: [
        constant(),
        metric("judge", (_input, _config, { signal }) => {
          signals.push(signal);
          return new Promise(() => {});
        }),
      ],
      config: {
        signal: stop.signal,
        scoringConcurrency: 8,
        onEvent: stopAfter(stop, "SIGINT", "score-end", 3),
      },
    });

    expect(rows.trials).toHaveLength(3);
    expect(rows.scores.map(({ metricType }) => metricType)).toEqual(Array(3).fill("constant"));
    expect(result).toMatchObject({ status: "interrupted", exitCode: 130 });
    expect(signals.length).toBeGreaterThan(0);
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    expect(leftovers()).toEqual([]);
  });

  it("keeps what a runner still gives after its signal", async () => {
    const stop = new AbortController();
    const late = runner(async function* (_plan, { signal }) {
      yield completed("t0");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      yield completed("t1");
    });
    const { rows, result } = await runTarget(late, {
      tasks: tasks(3),
      config: { signal: stop.signal, onEvent: stopAfter(stop, "SIGINT", "trial-end", 1) },
    });

    expect(rows.trials.map(({ taskId }) => taskId)).toEqual(["t0", "t1"]);
    expect(result.status).toBe("interrupted");
  });

  it("writes no missing trials: they were not refused, they were not asked for", async () => {
    const stop = new AbortController();
    const { result } = await runTarget(patient(["t0"]), {
      tasks: tasks(5),
      config: { signal: stop.signal, onEvent: stopAfter(stop, "SIGINT", "trial-end", 1) },
    });

    expect(result.summary.errorTrialIds).toEqual({});
    expect(result.summary.trialCount).toBe(1);
  });

  it("is told at once, with the reason", async () => {
    const stop = new AbortController();
    const seen: RunEvent[] = [];
    await runTarget(
      patient([], () => stop.abort("SIGINT")),
      {
        config: { signal: stop.signal, onEvent: (event) => seen.push(event) },
      },
    );

    expect(seen).toContainEqual({ type: "cancelling", reason: "SIGINT" });
    expect(seen.at(-1)).toEqual({ type: "run-end", status: "interrupted" });
  });

  it("after everything was done is a completed run", async () => {
    const stop = new AbortController();
    const { result } = await runTarget(patient(["t0"]), { config: { signal: stop.signal } });
    stop.abort("SIGINT");

    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
  });

  it("in the middle of its scoring is cancelled even when its runner had failed before", async () => {
    const stop = new AbortController();
    const judged = deferred();
    const failing = runner(async function* () {
      yield completed("t0");
      throw new Error("the backend is gone");
    });
    const running = runTarget(failing, {
      tasks: tasks(2),
      metrics: [
        metric("judge", () => {
          judged.resolve();
          return new Promise(() => {});
        }),
      ],
      config: { signal: stop.signal },
    });
    await judged.promise;
    stop.abort("SIGINT");
    const { result } = await running;

    expect(result).toMatchObject({ status: "interrupted", exitCode: 130 });
  });

  it("ends the processes that a runner has started", async () => {
    requireTool("process-table", () => (existsSync("/proc/self") ? null : "there is no /proc"));
    const stop = new AbortController();
    const seconds = `4${process.pid}`;
    const sleeper = standInRunner(async (_task, { process: processes, directory, signal }) => {
      const cwd = await directory();
      const sleeping = processes.run({
        argv: ["sh", "-c", `sleep ${seconds} & sleep ${seconds}`],
        cwd,
        env: { ...processes.baseEnv() },
        signal,
      });
      await until(() => sleepersOf(seconds).length === 2);
      stop.abort("SIGINT");
      await sleeping;
      return { output: "woken" };
    });

    const { result, leftovers } = await runTarget(sleeper, { config: { signal: stop.signal } });

    expect(result.status).toBe("interrupted");
    expect(sleepersOf(seconds)).toEqual([]);
    expect(leftovers()).toEqual([]);
  });
});

describe("fail_fast", () => {
  it("ends the run at a trial that could not be produced", async () => {
    const target = callable({
      name: "agent",
      agent: ({ id }, { signal }) =>
        id === "t0"
          ? "yes"
          : id === "t1"
            ? (null as unknown as string)
            : new Promise<string>((_resolve, reject) => {
                signal.addEventListener("abort", () => reject(signal.reason));
              }),
    });
    const { result, rows, leftovers } = await runTarget(target, {
      tasks: tasks(8),
      config: { failFast: true, concurrency: 3 },
    });

    expect(rows.trials.map(({ taskId, status }) => [taskId, status]).sort()).toEqual([
      ["t0", "completed"],
      ["t1", "failed"],
    ]);
    expect(result).toMatchObject({ status: "incomplete", exitCode: 4 });
    expect(result.statusCause).toContain('"t1:trial"');
    expect(leftovers()).toEqual([]);
  });

  it("ends the run at a metric that failed, and cancels the others", async () => {
    let cancelled = 0;
    const { result, rows } = await runTarget(patient(["t0"]), {
      tasks: tasks(3),
      metrics: [
        metric("endless", (_input, _config, { signal }) => {
          signal.addEventListener("abort", () => {
            cancelled += 1;
          });
          return new Promise(() => {});
        }),
        metric("broken", () => {
          throw new Error("no judge");
        }),
      ],
      config: { failFast: true, scoringConcurrency: 2 },
    });

    expect(rows.trials.map(({ taskId }) => taskId)).toEqual(["t0"]);
    expect(rows.scores.map(({ metricType }) => metricType)).toEqual(["broken"]);
    expect(cancelled).toBe(1);
    expect(result).toMatchObject({ status: "incomplete", exitCode: 4 });
    expect(result.statusCause).toContain('"broken"');
  });

  it("does not mind a trial that ran and did not end well", async () => {
    const { result, rows } = await runTarget(
      callable({
        name: "agent",
        agent: () => {
          throw new Error("no");
        },
      }),
      { tasks: tasks(3), metrics: [saysYes()], config: { failFast: true } },
    );

    expect(rows.trials).toHaveLength(3);
    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
  });
});

/** Stops at the nth event of a type. */
function stopAfter(stop: AbortController, reason: unknown, type: RunEvent["type"], count: number) {
  let left = count;
  return (event: RunEvent): void => {
    if (event.type !== type) return;
    left -= 1;
    if (left === 0) stop.abort(reason);
  };
}

function sleepersOf(seconds: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8") === `sleep\0${seconds}\0`;
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setImmediate(resolve));
}
