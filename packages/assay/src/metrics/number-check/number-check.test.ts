import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import { metricConformance } from "../../testing/metric-conformance.ts";
import { checkNumbers, type NumberOperation, numberOperations } from "./compute.ts";
import { lastNumber } from "./grammar.ts";
import { numberCheck } from "./index.ts";

const nan = Number.NaN;

// The rows of the specification (core §4.4).
describe("the observed grammar", () => {
  it.each([
    ["value is 42", 42],
    ["my reasoning 123 and final answer is 1.2", 1.2],
    ["10.5, -3.14, and .75.", 0.75],
    ["context 1.", 1],
    ["127.0.0.1", nan],
    ["1.2.3", nan],
    ["1..2", nan],
    [".", nan],
    ["-", nan],
    ["no number", nan],
    ["", nan],
    ["1,234", 234],
    ["1e5", 5],
    ["2024-01-15", -15],
    ["+7", 7],
  ])("reads %j as %d", (text, number) => {
    expect(lastNumber(text, "observed")).toBe(number);
  });
});

describe("the extended grammar", () => {
  it.each([
    ["value is 42", 42],
    ["10.5, -3.14, and .75.", 0.75],
    ["context 1.", 1],
    ["1.2.3", nan],
    ["1..2", nan],
    ["no number", nan],
    ["1,234", 1234],
    ["$1,234,567.89 in all", 1234567.89],
    ["1\u202f234\u00a0567", 1234567],
    ["1,2345", 2345],
    ["1e5", 100000],
    ["6.02E+23", 6.02e23],
    ["1.5e\u22123", 0.0015],
    ["2e", 2],
    ["50%", 0.5],
    ["about 12.5 %", 0.125],
    ["\u22125", -5],
    ["-0.5", -0.5],
    ["2024-01-15", 15],
    ["10-20", 20],
    ["(-3)", -3],
    ["x=-3", -3],
    ["mp3", 3],
  ])("reads %j as %d", (text, number) => {
    expect(lastNumber(text, "extended")).toBe(number);
  });

  it("reads back every number that JavaScript writes", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(lastNumber(`the answer is ${number}.`, "extended")).toBe(number + 0);
      }),
    );
  });
});

describe("checkNumbers", () => {
  it.each<[NumberOperation, number, number, boolean]>([
    ["equals", 1, 1, true],
    ["==", 1, 2, false],
    ["!=", 1, 2, true],
    ["<>", 1, 1, false],
    ["not equals", 1, 2, true],
    [">=", 2, 2, true],
    ["gte", 1, 2, false],
    ["greater than or equal", 3, 2, true],
    [">", 2, 2, false],
    ["gt", 3, 2, true],
    ["greater than", 1, 2, false],
    ["<=", 2, 2, true],
    ["lte", 3, 2, false],
    ["less than or equal", 1, 2, true],
    ["<", 2, 2, false],
    ["lt", 1, 2, true],
    ["less than", 3, 2, false],
    ["absolute difference", 1, 1.25, true],
    ["absolute difference", 1, 1.5, false],
  ])("%s: %d and %d is %s", (operation, left, right, holds) => {
    expect(checkNumbers({ operation, epsilon: 0.25 }, left, right)).toBe(holds);
  });

  it("has a row above for every operation", () => {
    expect(numberOperations).toHaveLength(18);
  });
});

describe("numberCheck", () => {
  const sides = { leftTemplate: "{{ output_text }}", rightTemplate: "{{ reference.n }}" };
  const compute = (
    outputText: string,
    settings: { unparsed?: "zero"; grammar?: "extended" } = {},
  ) =>
    numberCheck({ operation: "==", ...sides, ...settings }).compute(
      metricInput({ reference: { n: 1234 }, outputText }),
      metricContextOf(),
    );

  it("takes a number as it is, and the last one of a text", async () => {
    expect((await compute("first 1, then 1234")).outputs).toStrictEqual({ "number-check": 1 });
  });

  it("can be told to read thousands separators", async () => {
    expect((await compute("1,234")).outputs).toStrictEqual({ "number-check": 0 });
    expect((await compute("1,234", { grammar: "extended" })).outputs).toStrictEqual({
      "number-check": 1,
    });
  });

  it("gives no score, and says which side holds no number", async () => {
    const result = await compute("I do not know");

    expect(result.outputs).toStrictEqual({ "number-check": nan });
    expect(result.diagnostics).toStrictEqual([
      { severity: "warning", message: "the left side holds no number" },
    ]);
  });

  it("can charge a side without a number to the agent", async () => {
    expect((await compute("I do not know", { unparsed: "zero" })).outputs).toStrictEqual({
      "number-check": 0,
    });
  });

  it("refuses an operand that is neither text nor number", async () => {
    const metric = numberCheck({
      operation: "==",
      leftTemplate: "{{ reference }}",
      rightTemplate: "1",
    });

    await expect(metric.compute(metricInput(), metricContextOf())).rejects.toThrow(
      "number-check.left_template: gives an object, but text or a number is needed",
    );
  });

  it.each([
    [
      "absolute difference without epsilon",
      { operation: "absolute difference" },
      "epsilon: is required",
    ],
    [
      "epsilon without absolute difference",
      { operation: "==", epsilon: 0.1 },
      "epsilon: is for `absolute difference` only",
    ],
    ["a negative epsilon", { operation: "absolute difference", epsilon: -1 }, "epsilon: "],
  ])("refuses %s", (_case, settings, problem) => {
    expect(() =>
      numberCheck.fromConfig({ ...settings, left_template: "1", right_template: "1" }),
    ).toThrow(problem);
  });

  it("accepts an epsilon of 0 everywhere: it changes nothing", () => {
    expect(numberCheck({ operation: "==", epsilon: 0, ...sides }).config).toMatchObject({
      epsilon: 0,
    });
  });

  describe("keeps the contract", () => {
    const input = metricInput({ reference: { n: 1 }, outputText: "1" });
    const none = metricInput({ reference: { n: 1 }, outputText: "none" });
    const cases = [
      { name: "two numbers", input },
      { name: "no number", input: none },
    ];
    const make = () => numberCheck({ operation: "absolute difference", epsilon: 0.1, ...sides });

    for (const { name, run } of metricConformance({ make, cases, context: metricContextOf() }))
      it(name, run);
  });
});
