import { AssayError, readBundle } from "assay";
import { callable } from "assay/runners";
import { FakeClock } from "assay/testing";
import { describe, expect, it } from "vitest";
import {
  completed,
  constant,
  metric,
  runner,
  runTarget,
  runWithClock,
  saysYes,
  storedRows,
  task,
  tasks,
} from "./run-kit.ts";

type Agent = Parameters<typeof callable>[0]["agent"];

function target(
  agent: Agent,
  more: { readonly timeoutS?: number; readonly parallelism?: number } = {},
) {
  return callable({ name: "agent", agent, ...more });
}

describe("how a trial ended", () => {
  const endings: {
    readonly what: string;
    readonly agent: Agent;
    readonly status: string;
    readonly errorType: string | null;
    readonly says: string;
    readonly ledger: readonly [cause: string, fault: string];
    readonly exitCode: number;
  }[] = [
    {
      what: "a reply",
      agent: () => "yes",
      status: "completed",
      errorType: null,
      says: "",
      ledger: ["ended", "none"],
      exitCode: 0,
    },
    {
      what: "a throw",
      agent: () => {
        throw new RangeError("lost the plot");
      },
      status: "partial",
      errorType: "AgentError",
      says: "RangeError: lost the plot",
      ledger: ["ended", "target"],
      exitCode: 0,
    },
    {
      what: "a blank reply",
      agent: () => " \n",
      status: "partial",
      errorType: "BlankReply",
      says: "blank",
      ledger: ["ended", "target"],
      exitCode: 0,
    },
    {
      what: "a reply of another shape",
      agent: () => 5 as unknown as string,
      status: "failed",
      errorType: "InvalidReturn",
      says: "a number",
      ledger: ["error", "user"],
      exitCode: 4,
    },
  ];

  it.each(endings)("is told after $what", async (ending) => {
    const { rows, result, workDir } = await runTarget(target(ending.agent));
    const [trial] = rows.trials;

    expect(trial?.status).toBe(ending.status);
    expect(trial?.error?.type ?? null).toBe(ending.errorType);
    expect(trial?.error?.message ?? "").toContain(ending.says);
    expect(trial?.metadata["agent_ok"]).toBe(ending.status === "completed");
    expect(storedRows(workDir, "attempts.jsonl")).toMatchObject([
      { cause: ending.ledger[0], fault: ending.ledger[1], error_type: ending.errorType },
    ]);
    expect(result).toMatchObject({ status: "completed", exitCode: ending.exitCode });
  });

  it("is a timeout for an agent that ends at its signal, and keeps what it left", async () => {
    const { rows } = await runTarget(
      target(
        ({ id }, { signal, usage, step }) =>
          new Promise((_resolve, reject) => {
            usage.add({ promptTokens: 7 });
            step({ message: `thinking of ${id}` });
            signal.addEventListener("abort", () => reject(signal.reason));
          }),
        { timeoutS: 0.05 },
      ),
    );
    const [trial] = rows.trials;

    expect(trial).toMatchObject({ status: "partial", error: { type: "TimeoutError" } });
    expect(trial?.error?.message).toContain("0.05 s");
    expect(trial?.measurements.promptTokens).toBe(7);
    expect(trial?.evidence?.descriptors["trace"]).toMatchObject({ format: "atif" });
  });

  it("is a timeout for an agent that ignores its signal, whose place goes to the next trial", async () => {
    const clock = new FakeClock();
    const { rows, workDir } = await runWithClock(
      clock,
      target(({ id }) => (id === "t0" ? new Promise<string>(() => {}) : "yes"), {
        timeoutS: 30,
        parallelism: 1,
      }),
      { tasks: tasks(2), metrics: [saysYes()] },
    );

    expect(rows.trials.map(({ taskId, status }) => [taskId, status])).toEqual([
      ["t0", "partial"],
      ["t1", "completed"],
    ]);
    expect(rows.trials[0]?.error?.message).toContain("abandoned");
    const [ledger] = storedRows(workDir, "attempts.jsonl");
    expect(ledger).toMatchObject({ cause: "timeout", fault: "target" });
    expect(ledger?.["duration_ms"]).toBeGreaterThanOrEqual(30_000);
  });

  it("is a second attempt after a fault of the infrastructure, never a second trial", async () => {
    const attempts: number[] = [];
    const { rows, workDir, result } = await runTarget(
      target((_task, { attemptIndex }) => {
        attempts.push(attemptIndex);
        if (attemptIndex === 0) throw new AssayError("ASSAY_RATE_LIMITED", "429");
        return "yes";
      }),
    );

    expect(attempts).toEqual([0, 1]);
    expect(rows.trials).toMatchObject([{ id: "t0:trial", status: "completed" }]);
    expect(storedRows(workDir, "attempts.jsonl")).toMatchObject([
      {
        attempt_index: 0,
        cause: "infrastructure",
        fault: "infrastructure",
        error_type: "RateLimited",
      },
      { attempt_index: 1, cause: "ended", fault: "none", error_type: null },
    ]);
    expect(result.exitCode).toBe(0);
  });

  it("is failed when the infrastructure failed in all its attempts, which are two", async () => {
    let attempts = 0;
    const { rows, workDir, result } = await runTarget(
      target(() => {
        attempts += 1;
        throw new AssayError("ASSAY_CONNECTION_FAILED", "connection refused");
      }),
    );

    expect(attempts).toBe(2);
    expect(rows.trials).toMatchObject([{ status: "failed", error: { type: "ConnectionError" } }]);
    expect(storedRows(workDir, "attempts.jsonl")).toHaveLength(2);
    expect(result).toMatchObject({ status: "completed", exitCode: 4 });
  });
});

describe("what a trial that did not end well counts", () => {
  it("is a failed score without a call of the metric, when it could not be produced", async () => {
    let calls = 0;
    const { rows } = await runTarget(
      target(() => null as unknown as string),
      {
        metrics: [
          metric("counted", () => {
            calls += 1;
            return { outputs: { score: 1 } };
          }),
        ],
      },
    );

    expect(calls).toBe(0);
    expect(rows.scores).toMatchObject([
      { status: "failed", outputs: [], diagnostics: [{ details: { trial_status: "failed" } }] },
    ]);
  });

  it("is the absent value with a warning, when what the metric reads is not there", async () => {
    const { rows, result } = await runTarget(
      target(() => {
        throw new Error("no");
      }),
      { metrics: [saysYes()] },
    );

    expect(rows.scores).toMatchObject([
      {
        status: "completed",
        outputs: [{ name: "score", value: 0 }],
        diagnostics: [{ severity: "warning", details: { input_absent: ["text"] } }],
      },
    ]);
    expect(result.exitCode).toBe(0);
  });

  it("is unscored, when the author of the metric chose so", async () => {
    const { rows, result } = await runTarget(
      target(() => {
        throw new Error("no");
      }),
      {
        metrics: [
          metric("picky", () => ({ outputs: { score: 1 } }), {
            needs: ["text"],
            outputs: [{ name: "score", kind: "continuous", description: null, absent: "unscored" }],
          }),
        ],
      },
    );

    expect(rows.scores).toMatchObject([
      {
        status: "failed",
        outputs: [],
        diagnostics: [{ severity: "warning", details: { unscored_reason: "INPUT_ABSENT" } }, {}],
      },
    ]);
    expect(result.exitCode).toBe(0);
  });

  it("is what the metric says, when it needs no output: evidence and metadata are there", async () => {
    const { rows } = await runTarget(
      runner(async function* () {
        yield completed("t0", 0, {
          status: "partial",
          output: null,
          error: { type: "AgentError", message: "no", traceback: null, occurredAt: null },
          metadata: { reward: 0.25 },
          evidence: {
            descriptors: {
              note: {
                kind: "note",
                ref: null,
                format: null,
                data: "seen",
                description: null,
                metadata: {},
              },
            },
            metadata: {},
          },
        });
      }),
      {
        metrics: [
          metric("reader", ({ candidate, row }) => ({
            outputs: { score: Number(candidate.metadata["reward"]) },
            diagnostics: [
              {
                message: String(candidate.evidence.get("note")?.data),
                details: { status: row.trial.status, error: row.trial.error },
              },
            ],
          })),
        ],
      },
    );

    expect(rows.scores).toMatchObject([
      {
        outputs: [{ value: 0.25 }],
        diagnostics: [
          { message: "seen", details: { status: "partial", error: { type: "AgentError" } } },
        ],
      },
    ]);
  });

  it("leaves the denominator alone: one pass and one timeout without output give pass@1 0.5", async () => {
    const { result } = await runTarget(
      target(
        (_task, { trialIndex, signal }) =>
          trialIndex === 0
            ? "yes"
            : new Promise((_resolve, reject) => {
                signal.addEventListener("abort", () => reject(signal.reason));
              }),
        { timeoutS: 0.05 },
      ),
      { metrics: [saysYes()], config: { trialsPerTask: 2 } },
    );

    const passAt1 = result.summary.scores.scores.find(({ name }) => name.endsWith("pass@1"));
    expect(passAt1?.mean).toBe(0.5);
  });
});

describe("a runner that keeps no ledger", () => {
  it("gets one made of what its trial tells", async () => {
    const { workDir } = await runTarget(
      runner(async function* () {
        yield completed("t0", 0, {
          measurements: { ...completed("t0").measurements, runtimeSec: 2.5, promptTokens: 11 },
        });
        yield completed("t1", 0, {
          status: "partial",
          error: { type: "TimeoutError", message: "late", traceback: null, occurredAt: null },
        });
      }),
      { tasks: tasks(2) },
    );

    expect(storedRows(workDir, "attempts.jsonl")).toMatchObject([
      {
        trial_id: "t0:stand_in",
        cause: "ended",
        fault: "none",
        duration_ms: 2500,
        prompt_tokens: 11,
      },
      { trial_id: "t1:stand_in", cause: "timeout", fault: "target", error_type: "TimeoutError" },
    ]);
  });
});

describe("tokens and cost", () => {
  it("count every attempt, lost ones too", async () => {
    const { result } = await runTarget(
      target((_task, { usage, attemptIndex }) => {
        usage.add({ promptTokens: 10, costUsd: 0.5 });
        if (attemptIndex === 0) throw new AssayError("ASSAY_RATE_LIMITED", "429");
        return "yes";
      }),
    );

    const { provenance } = await readBundle(result.workDir);
    expect(
      (provenance as { predicate?: { usage: unknown } } | null)?.predicate?.usage,
    ).toMatchObject({ attempts: 2, prompt_tokens: 20, cost_usd: 1 });
  });
});

describe("a task of its own metrics", () => {
  it("gets those of the suite beside them, once per type", async () => {
    const { rows } = await runTarget(
      target(() => "yes"),
      {
        tasks: [task("own", { metrics: [constant(0.5)] })],
        metrics: [constant(1), saysYes()],
      },
    );

    expect(rows.scores.map(({ metricType, outputs }) => [metricType, outputs[0]?.value])).toEqual([
      ["constant", 0.5],
      ["says-yes", 1],
    ]);
  });
});
