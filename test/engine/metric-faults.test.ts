import { AssayError, defineMetric, type MetricInput } from "assay";
import { FakeClock } from "assay/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  completed,
  constant,
  eager,
  metric,
  runner,
  runTarget,
  runWithClock,
  task,
} from "./run-kit.ts";

describe("a metric that fails", () => {
  const broken: {
    readonly what: string;
    readonly compute: () => never;
    readonly exceptionType: string;
    readonly says: string;
  }[] = [
    {
      what: "a throw",
      compute: () => {
        throw new RangeError("off the scale");
      },
      exceptionType: "RangeError",
      says: "off the scale",
    },
    {
      what: "a throw without a message",
      compute: () => {
        throw new TypeError();
      },
      exceptionType: "TypeError",
      says: "TypeError",
    },
    {
      what: "a throw of something else",
      compute: () => Promise.reject("just words") as never,
      exceptionType: "UnknownException",
      says: "just words",
    },
    {
      what: "a throw of a proxy that refuses to be looked at",
      compute: () => {
        throw revoked();
      },
      exceptionType: "UnknownException",
      says: "cannot be shown",
    },
    {
      what: "a result without the outputs it declares",
      compute: () => ({ outputs: {} }) as never,
      exceptionType: "ASSAY_METRIC_FAILED",
      says: '"score"',
    },
    {
      what: "a result of another shape",
      compute: () => undefined as never,
      exceptionType: "ASSAY_METRIC_FAILED",
      says: "undefined",
    },
    {
      what: "diagnostics that are none",
      compute: () => ({ outputs: { score: 1 }, diagnostics: "fine" }) as never,
      exceptionType: "ASSAY_METRIC_FAILED",
      says: "diagnostics",
    },
    {
      what: "a diagnostic that cannot be stored",
      compute: () =>
        ({
          outputs: { score: 1 },
          diagnostics: [{ message: "big", details: { n: 1n } }],
        }) as never,
      exceptionType: "ASSAY_METRIC_FAILED",
      says: "a bigint",
    },
  ];

  const odd: readonly (readonly [string, (() => unknown[]) | (() => unknown), string | null])[] = [
    ["has holes", () => Object.assign(new Array(2), { 1: { message: "m" } }), "no { message"],
    ["has a method `map` of its own", () => withOwn([{ message: "m" }], "map", () => 7), null],
    ["answers otherwise the second time", () => [{ message: "m", details: turning(1n) }], null],
    ["throws the second time", () => [{ message: "m", details: turning(new Error("no")) }], null],
    ["has a hidden `toJSON`", () => [{ message: "m", details: disguised({ at: 1 }) }], null],
    ["has a list with a `toJSON`", () => [{ message: "m", details: { at: disguised([1]) } }], null],
    [
      "hides what it holds from `entries`",
      () => [{ message: "m", details: { at: withOwn([1n], "entries", () => []) } }],
      "a bigint",
    ],
    [
      "inherits a `toJSON`",
      () => [{ message: "m", details: Object.assign(heir(), { at: 1 }) }],
      null,
    ],
    ["is a circle", () => [{ message: "m", details: circle() }], "nested too deep"],
  ];

  it.each(odd)(
    "by a diagnostic that %s costs no more than its score",
    async (_what, make, says) => {
      const compute = () => ({ outputs: { score: 1 }, diagnostics: make() }) as never;
      const { rows, result } = await runTarget(eager(), {
        metrics: [metric("odd", compute), constant()],
      });

      const score = rows.scores.find(({ metricType }) => metricType === "odd");
      if (says === null) {
        expect(score?.status).toBe("completed");
        expect(score?.diagnostics[0]?.message).toBe("m");
        expect(JSON.stringify(score?.diagnostics[0]?.details)).toMatch(/^{}$|^{"at":(?:1|\[1\])}$/);
      } else
        expect(score).toMatchObject({
          status: "failed",
          diagnostics: [
            {
              message: expect.stringContaining(says),
              details: { exception_type: "ASSAY_METRIC_FAILED" },
            },
          ],
        });
      expect(result.status).toBe("completed");
    },
  );

  it("by outputs that are too large to be stored has failed, and the run says so", async () => {
    const label = { name: "score", kind: "label", description: null, absent: "" } as const;
    const compute = () => ({ outputs: { score: "x".repeat(17 * 1024 * 1024) } });
    const { rows, result, events } = await runTarget(eager(), {
      metrics: [metric("large", compute, { outputs: [label] })],
    });

    expect(rows.scores).toMatchObject([
      {
        status: "failed",
        outputs: [],
        diagnostics: [{ details: { exception_type: "OutputTooLarge" } }],
      },
    ]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "score-end", metricType: "large", status: "failed" }),
    );
    expect(result).toMatchObject({ status: "completed", exitCode: 4 });
  });

  it.each(broken)("by $what is a failed score of its own", async (fault) => {
    const { rows, result } = await runTarget(eager(), {
      metrics: [metric("broken", fault.compute), constant()],
    });

    expect(rows.scores.find(({ metricType }) => metricType === "broken")).toMatchObject({
      status: "failed",
      outputs: [],
      diagnostics: [
        {
          severity: "error",
          source: "broken",
          message: expect.stringContaining(fault.says),
          details: { exception_type: fault.exceptionType },
        },
      ],
    });
    expect(rows.scores.find(({ metricType }) => metricType === "constant")).toMatchObject({
      status: "completed",
      outputs: [{ value: 1 }],
    });
    expect(result).toMatchObject({ status: "completed", exitCode: 4 });
  });

  it("is called again as often as it asks for", async () => {
    let calls = 0;
    const flaky = (retries: number) =>
      metric(
        "flaky",
        () => {
          calls += 1;
          if (calls < 3) throw new Error("not yet");
          return { outputs: { score: 1 } };
        },
        { retries },
      );

    const enough = await runTarget(eager(), { metrics: [flaky(2)] });
    expect(calls).toBe(3);
    expect(enough.result.exitCode).toBe(0);

    calls = 0;
    const tooFew = await runTarget(eager(), { metrics: [flaky(1)] });
    expect(calls).toBe(2);
    expect(tooFew.result.exitCode).toBe(4);
  });

  it("does not hide that it is to blame, even when it says otherwise", async () => {
    const { result } = await runTarget(eager(), {
      metrics: [
        metric("talker", () => ({
          outputs: { score: 1 },
          diagnostics: [{ message: "fine", details: { exception_type: "None" } }],
        })),
      ],
    });

    expect(result.exitCode).toBe(0);
  });
});

describe("a metric's time limit", () => {
  it("ends a metric that never ends, and tells it by its signal", async () => {
    let signal: AbortSignal | null = null;
    const { rows, result } = await runWithClock(new FakeClock(), eager(), {
      metrics: [
        metric(
          "endless",
          (_input, _config, context) => {
            signal = context.signal;
            return new Promise(() => {});
          },
          { timeoutMs: 90_000 },
        ),
        constant(),
      ],
    });

    expect(rows.scores.find(({ metricType }) => metricType === "endless")).toMatchObject({
      status: "failed",
      diagnostics: [
        { message: expect.stringContaining("90 s"), details: { exception_type: "TimeoutError" } },
      ],
    });
    expect((signal as AbortSignal | null)?.aborted).toBe(true);
    expect(result.exitCode).toBe(4);
  });

  it("is one for each try", async () => {
    const clock = new FakeClock();
    const startedAt: number[] = [];
    await runWithClock(clock, eager(), {
      metrics: [
        metric(
          "endless",
          () => {
            startedAt.push(clock.monotonicMs());
            return new Promise(() => {});
          },
          { timeoutMs: 10_000, retries: 1 },
        ),
      ],
    });

    expect(startedAt).toHaveLength(2);
    expect((startedAt[1] ?? 0) - (startedAt[0] ?? 0)).toBeGreaterThanOrEqual(10_000);
  });

  it("does not touch a metric with a longer one that runs beside it", async () => {
    const clock = new FakeClock();
    const { rows } = await runWithClock(clock, eager(), {
      metrics: [
        metric("short", () => new Promise(() => {}), { timeoutMs: 1000 }),
        metric(
          "long",
          async (_input, _config, { signal }) => {
            await clock.sleep(5000);
            return { outputs: { score: signal.aborted ? 0 : 1 } };
          },
          { timeoutMs: 60_000 },
        ),
      ],
    });

    expect(rows.scores.find(({ metricType }) => metricType === "long")).toMatchObject({
      status: "completed",
      outputs: [{ value: 1 }],
    });
  });
});

describe("a metric without a figure", () => {
  it.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])(
    "for %s is unscored, and no failure",
    async (value) => {
      const { rows, result } = await runTarget(eager(), { metrics: [constant(value)] });

      expect(rows.scores).toMatchObject([
        {
          status: "failed",
          outputs: [],
          diagnostics: [{ severity: "warning", details: { unscored_reason: "NON_FINITE" } }],
        },
      ]);
      expect(result).toMatchObject({ status: "completed", exitCode: 0 });
    },
  );

  it("for one of its outputs keeps the others", async () => {
    const pair = defineMetric({
      type: "pair",
      description: "Two.",
      config: z.strictObject({}),
      outputs: [
        { name: "left", kind: "continuous" },
        { name: "right", kind: "continuous" },
      ],
      compute: () => ({ outputs: { left: 0.5, right: null } }),
    });
    const { rows } = await runTarget(eager(), { metrics: [pair()] });

    expect(rows.scores).toMatchObject([
      {
        status: "completed",
        outputs: [{ name: "left", value: 0.5 }],
        diagnostics: [
          { severity: "warning", details: { unscored_reason: "NO_VALUE", output: "right" } },
        ],
      },
    ]);
  });
});

describe("what metrics read", () => {
  it("is the same for all of them, whatever one does to it", async () => {
    const inputs: unknown[] = [];
    const spoil = metric("spoil", ({ row, candidate }) => {
      const attempts: (() => void)[] = [
        () => Object.assign(row.inputs, { instruction: "spoilt" }),
        () => (row.reference["answers"] as string[]).push("spoilt"),
        () => Object.assign(candidate.metadata, { reward: 1 }),
        () => (candidate.response as { list: number[] }).list.sort(),
        () => Object.assign(row.task, { id: "spoilt" }),
      ];
      const refused = attempts.filter((attempt) => {
        try {
          attempt();
          return false;
        } catch {
          return true;
        }
      });
      return { outputs: { score: refused.length } };
    });
    const look = (type: string) =>
      metric(type, (input) => {
        inputs.push(snapshot(input));
        return { outputs: { score: 1 } };
      });
    const reply = { list: [3, 1, 2] };
    const { rows } = await runTarget(
      runner(async function* () {
        yield completed("t0", 0, { output: { outputText: null, response: reply, metadata: {} } });
      }),
      {
        tasks: [task("t0", { reference: { answers: ["a"] } })],
        metrics: [look("before"), spoil, look("after")],
        config: { scoringConcurrency: 1 },
      },
    );

    expect(inputs[1]).toEqual(inputs[0]);
    expect(rows.scores.find(({ metricType }) => metricType === "spoil")?.outputs).toEqual([
      { name: "score", value: 5 },
    ]);
  });

  it("is a copy: the caller's tasks and the agent's reply stay theirs, and change nothing later", async () => {
    const inputs = { instruction: "do it", list: ["a"] };
    const reply = { list: [3, 1, 2] };
    const mine = [task("t0", { inputs })];
    const { rows } = await runTarget(
      runner(async function* () {
        yield completed("t0", 0, { output: { outputText: null, response: reply, metadata: {} } });
        reply.list.push(4);
        inputs.list.push("b");
      }),
      {
        tasks: mine,
        metrics: [
          metric("reader", ({ candidate, row }) => ({
            outputs: {
              score:
                (candidate.response as typeof reply).list.length * 10 +
                (row.inputs["list"] as string[]).length,
            },
          })),
        ],
      },
    );

    expect(rows.scores[0]?.outputs).toEqual([{ name: "score", value: 31 }]);
    expect(rows.trials[0]?.output?.response).toEqual({ list: [3, 1, 2] });
  });

  it("is refused when it is evidence that is not there, as the metric's failure", async () => {
    const { rows } = await runTarget(eager(), {
      metrics: [
        metric("reader", async ({ candidate }) => {
          await candidate.evidence.filesystem("final_state");
          return { outputs: { score: 1 } };
        }),
      ],
    });

    expect(rows.scores).toMatchObject([
      {
        status: "failed",
        diagnostics: [{ details: { exception_type: "ASSAY_EVIDENCE_UNAVAILABLE" } }],
      },
    ]);
  });
});

describe("a metric's own error", () => {
  it("keeps its code", async () => {
    const { rows } = await runTarget(eager(), {
      metrics: [
        metric("judge", () => {
          throw new AssayError("ASSAY_RATE_LIMITED", "429 of the judge");
        }),
      ],
    });

    expect(rows.scores).toMatchObject([
      { diagnostics: [{ details: { exception_type: "ASSAY_RATE_LIMITED" } }] },
    ]);
  });
});

function snapshot({ row, candidate }: MetricInput): unknown {
  const { evidence: _handle, ...data } = candidate;
  return structuredClone({ row, data });
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

function withOwn<T extends object>(value: T, key: string, item: unknown): T {
  return Object.defineProperty(value, key, { value: item, enumerable: false });
}

/** Says of itself that it is something else. */
function disguised<T extends object>(value: T): T {
  return withOwn(value, "toJSON", () => ["another"]);
}

/** Its `at` is 1 the first time. */
function turning(later: unknown): object {
  let reads = 0;
  return {
    get at() {
      reads += 1;
      if (reads === 1) return 1;
      if (later instanceof Error) throw later;
      return later;
    },
  };
}

function heir(): object {
  return Object.create(
    Object.assign(Object.create(null) as object, { toJSON: () => ["another"] }),
  ) as object;
}

function circle(): object {
  const details: Record<string, unknown> = {};
  details["self"] = details;
  return details;
}
