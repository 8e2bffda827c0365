import { describe, expect, it } from "vitest";

import type { MetricOutputKind, MetricOutputSpec } from "../../contracts/metric.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { JsonValue } from "../../support/json.ts";
import { coerceResult } from "./coerce-result.ts";

function output(
  name: string,
  kind: MetricOutputKind = "continuous",
  more: Partial<MetricOutputSpec> = {},
): MetricOutputSpec {
  return { name, kind, description: null, absent: 0, ...more };
}

function metric(...outputs: MetricOutputSpec[]) {
  return { type: "quality", outputs };
}

function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    expect(thrown.code).toBe("ASSAY_METRIC_FAILED");
    return thrown.message;
  }
  throw new Error("nothing was thrown");
}

const { NaN: nan, POSITIVE_INFINITY: infinity } = Number;

describe("names of a result", () => {
  const both = metric(output("reward"), output("format"));

  it.each([
    [
      "the same output twice",
      {
        outputs: [
          { name: "reward", value: 1 },
          { name: "reward", value: 1 },
        ],
      },
      'gave the output "reward" twice',
    ],
    [
      "a missing output",
      { outputs: { reward: 1 } },
      'gave no value for "format", which it declares',
    ],
    [
      "an undefined output",
      { outputs: { reward: 1, format: undefined } },
      'gave no value for "format"',
    ],
    [
      "an undeclared output",
      { outputs: { reward: 1, format: 1, formt: 2 } },
      'gave "formt", which it does not declare (did you mean "format"?)',
    ],
    ["an inherited name", { outputs: Object.create({ reward: 1, format: 1 }) }, "gave"],
    [
      "scores of the old shape",
      { scores: [{ name: "reward", value: 1 }] },
      "gave outputs: undefined instead of { outputs:",
    ],
    ["no object", 0.5, "gave a number instead of { outputs:"],
    ["null", null, "gave null instead of { outputs:"],
    ["a list without names", { outputs: [0.5] }, "gave an output without a name"],
  ])("%s is an error that names it", (_case, result, problem) => {
    expect(problemOf(() => coerceResult(both, result))).toContain(`metric "quality" ${problem}`);
  });

  it("come in the order of the declaration, from a map and from a list", () => {
    const expected = {
      outputs: [
        { name: "reward", value: 1 },
        { name: "format", value: 0 },
      ],
      unscored: [],
    };

    expect(coerceResult(both, { outputs: { format: 0, reward: 1 } })).toStrictEqual(expected);
    expect(
      coerceResult(both, {
        outputs: [
          { name: "format", value: 0 },
          { name: "reward", value: 1 },
        ],
      }),
    ).toStrictEqual(expected);
  });

  it("may be names that objects inherit", () => {
    expect(
      coerceResult(metric(output("constructor")), { outputs: { constructor: 1 } }).outputs,
    ).toStrictEqual([{ name: "constructor", value: 1 }]);
    expect(problemOf(() => coerceResult(metric(output("toString")), { outputs: {} }))).toContain(
      '"toString"',
    );
  });
});

describe("values are stored as their kind", () => {
  it.each<[MetricOutputKind, unknown, JsonValue]>([
    ["continuous", 0.5, 0.5],
    ["continuous", -0, 0],
    ["continuous", true, 1],
    ["continuous", false, 0],
    ["continuous", "0.9", 0.9],
    ["continuous", "  12 ", 12],
    ["continuous", "1e-3", 0.001],
    ["continuous", ".5", 0.5],
    ["discrete", 3, 3],
    ["discrete", true, 1],
    ["discrete", 1.0, 1],
    ["discrete", "3", 3],
    ["discrete", "3.0", 3],
    ["boolean", true, true],
    ["boolean", 1, true],
    ["boolean", 0, false],
    ["boolean", "yes", true],
    ["boolean", "OFF", false],
    ["boolean", "true", true],
    ["boolean", "0", false],
    ["label", "good", "good"],
    ["label", "", ""],
    ["model", { a: 1 }, { a: 1 }],
  ])("%s: %j is stored as %j", (kind, value, stored) => {
    expect(coerceResult(metric(output("x", kind)), { outputs: { x: value } })).toStrictEqual({
      outputs: [{ name: "x", value: stored }],
      unscored: [],
    });
  });

  it.each<[MetricOutputKind, unknown]>([
    ["continuous", "high"],
    ["continuous", ""],
    ["continuous", "1,5"],
    ["continuous", "0x10"],
    ["continuous", [1]],
    ["continuous", {}],
    ["discrete", 1.5],
    ["discrete", "1.5"],
    ["boolean", 2],
    ["boolean", 0.5],
    ["boolean", "maybe"],
    ["boolean", "constructor"],
    ["label", 1],
    ["label", true],
    ["label", nan],
    ["model", "text"],
    ["model", [1]],
    ["model", { when: new Date(0) }],
  ])("%s: %j is refused, naming the output", (kind, value) => {
    expect(
      problemOf(() => coerceResult(metric(output("x", kind)), { outputs: { x: value } })),
    ).toContain('"x"');
  });

  it.each<[MetricOutputKind, unknown]>([
    ["continuous", nan],
    ["continuous", infinity],
    ["continuous", "NaN"],
    ["continuous", " -Infinity "],
    ["continuous", "1e999"],
    ["discrete", nan],
    ["boolean", nan],
  ])("%s: %j is unscored, never 0", (kind, value) => {
    expect(coerceResult(metric(output("x", kind)), { outputs: { x: value } })).toStrictEqual({
      outputs: [],
      unscored: [{ name: "x", reason: "NON_FINITE" }],
    });
  });

  it.each<MetricOutputKind>(["continuous", "discrete", "boolean", "label", "model"])(
    "%s: null is unscored",
    (kind) => {
      expect(
        coerceResult(metric(output("x", kind)), { outputs: { x: null } }).unscored,
      ).toStrictEqual([{ name: "x", reason: "NO_VALUE" }]);
    },
  );

  it("keeps the outputs beside one that is unscored", () => {
    const result = coerceResult(metric(output("a"), output("b")), { outputs: { a: nan, b: 1 } });

    expect(result.outputs).toStrictEqual([{ name: "b", value: 1 }]);
    expect(result.unscored).toStrictEqual([{ name: "a", reason: "NON_FINITE" }]);
  });

  it("checks a model with its schema and stores what the schema gives", () => {
    const model = {
      name: "Verdict",
      parse: (value: unknown): JsonValue => {
        const { points } = value as { points?: unknown };
        if (typeof points !== "number") throw new Error("points: expected a number");
        return { points, isGood: points > 1 };
      },
    };
    const verdict = metric(output("x", "model", { model }));

    expect(
      coerceResult(verdict, { outputs: { x: { points: 2 } } }).outputs[0]?.value,
    ).toStrictEqual({ points: 2, isGood: true });
    expect(problemOf(() => coerceResult(verdict, { outputs: { x: {} } }))).toContain(
      "no Verdict: points: expected a number",
    );
  });
});
