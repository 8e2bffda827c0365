import { describe, expect, expectTypeOf, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import type { MetricLike, ScorerArgs, ScorerFunction } from "../../contracts/metric.ts";
import { exactMatch } from "../exact-match/index.ts";
import { asMetric } from "./as-metric.ts";
import { functionMetric } from "./function-metric.ts";

function quality({ output }: ScorerArgs) {
  return { name: "quality", score: output === "good" ? 1 : 0 };
}

async function run(
  scorer: (args: ScorerArgs) => unknown,
  options: Parameters<typeof metricInput>[0] = {},
) {
  const named = Object.defineProperty((args: ScorerArgs) => scorer(args), "name", {
    value: "scorer",
  });
  const metric = functionMetric(named as ScorerFunction);
  return await metric.compute(metricInput({ outputText: "good", ...options }), metricContextOf());
}

describe("functionMetric", () => {
  it("is called like the function, as is its one output", async () => {
    const metric = functionMetric(quality);

    expect(metric).toMatchObject({
      type: "quality",
      outputs: [{ name: "quality", kind: "continuous", absent: 0 }],
      needs: ["text"],
    });
    expect(
      await metric.compute(metricInput({ outputText: "good" }), metricContextOf()),
    ).toStrictEqual({
      outputs: { quality: 1 },
      diagnostics: [],
    });
  });

  it.each([
    [{ answer: "a", expected: "b" }, "a"],
    [{ expected: "b" }, "b"],
    [{ answer: null, expected: "b" }, "b"],
    [{ answer: 0 }, 0],
    [{ other: 1 }, { other: 1 }],
    [{}, {}],
  ])("expects of the reference %j: %j", async (reference, expected) => {
    let seen: unknown;
    await run(
      (args) => {
        seen = args.expected;
        return { name: "x", score: 1 };
      },
      { reference },
    );

    expect(seen).toStrictEqual(expected);
  });

  it.each([
    [{ instruction: "Add." }, "Add."],
    [{ question: "Why?" }, { question: "Why?" }],
  ])("gets of the inputs %j: %j", async (inputs, input) => {
    let seen: unknown;
    await run(
      (args) => {
        seen = args.input;
        return { name: "x", score: 1 };
      },
      { inputs },
    );

    expect(seen).toStrictEqual(input);
  });

  it("passes what is thrown on, and waits for a promise", async () => {
    await expect(run(() => Promise.reject(new Error("offline")))).rejects.toThrow("offline");
    expect((await run(async () => ({ name: "x", score: 0.5 }))).outputs).toStrictEqual({
      scorer: 0.5,
    });
  });

  it("leaves a score of null unscored", async () => {
    expect((await run(() => ({ name: "x", score: null }))).outputs).toStrictEqual({ scorer: null });
  });

  it("keeps metadata, and says which it cannot keep", async () => {
    const kept = await run(() => ({ name: "x", score: 1, metadata: { rationale: "close" } }));
    const lost = await run(() => ({ name: "x", score: 1, metadata: { when: new Date(0) } }));

    expect(kept.diagnostics).toStrictEqual([
      { severity: "info", message: "metadata of scorer", details: { rationale: "close" } },
    ]);
    expect(lost.diagnostics).toStrictEqual([
      {
        severity: "warning",
        message: "metadata of scorer is no JSON data: when is an instance of Date",
      },
    ]);
  });

  it.each([
    [0.5, "gave a number instead of { name, score }"],
    [null, "gave null instead"],
    [{ name: "x" }, "gave undefined as its score"],
    [{ name: "x", score: "high" }, "gave a string as its score"],
    [{ name: "x", score: null, error: new Error("judge is down") }, "failed: Error: judge is down"],
  ])("fails for %j", async (result, problem) => {
    await expect(run(() => result)).rejects.toMatchObject({ code: "ASSAY_METRIC_FAILED" });
    await expect(run(() => result)).rejects.toThrow(`the scorer "scorer" ${problem}`);
  });

  it("does not call the scorer for a trial without output text", async () => {
    await expect(run(() => expect.unreachable(), { outputText: null })).rejects.toMatchObject({
      data: { isInputAbsent: true },
    });
  });

  it("refuses a function without a name", () => {
    expect(() => functionMetric((() => () => ({ name: "x", score: 1 }))())).toThrow(
      "a scorer function needs a name",
    );
  });
});

describe("a list of metrics takes, without a cast,", () => {
  it("scorers that ask for less or more than they get", () => {
    const levenshtein = (_args: { output: string; expected?: string }) => ({
      name: "Levenshtein",
      score: 1,
    });
    const judge = async (_args: { input: string; output: string; expected?: string }) => ({
      name: "Judge",
      score: null as number | null,
      metadata: { rationale: "x" },
    });

    expectTypeOf<[typeof levenshtein, typeof judge, typeof quality]>().toExtend<MetricLike[]>();
  });
});

describe("asMetric", () => {
  const metric = exactMatch({ reference: "5" });

  it("gives a metric back as it is, and wraps a scorer", () => {
    expect(asMetric(metric)).toBe(metric);
    expect(asMetric(quality).type).toBe("quality");
  });

  it.each<[string, unknown, string]>([
    ["a factory that was not called", exactMatch, '"exact-match" is given as a function'],
    ["a name", "exact-match", "a string is no metric"],
    ["nothing", undefined, "undefined is no metric"],
    ["no type", { compute: () => {} }, "a metric needs a `type`"],
    ["no compute", { type: "m" }, 'the metric "m" has no `compute` function'],
    ["no config", { ...metric, config: null }, 'the metric "exact-match" has no `config` object'],
    [
      "a config that cannot be stored",
      { ...metric, config: { at: new Date(0) } },
      "is no JSON data: at is an instance of Date",
    ],
    ["no needs", { ...metric, needs: undefined }, "has no list `needs`"],
    ["no outputs", { ...metric, outputs: [] }, "declares no outputs"],
    [
      "an output twice",
      { ...metric, outputs: [...metric.outputs, ...metric.outputs] },
      'declares the output "exact-match" twice',
    ],
    [
      "an output without a name",
      { ...metric, outputs: [{ kind: "label" }] },
      "declares an output without a name",
    ],
  ])("refuses %s, naming the place", (_case, value, problem) => {
    expect(() => asMetric(value, "metrics[2]")).toThrow(problem);
    expect(() => asMetric(value, "metrics[2]")).toThrow(/^metrics\[2\]: /);
  });
});
