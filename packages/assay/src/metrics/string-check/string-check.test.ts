import { describe, expect, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import { metricConformance } from "../../testing/metric-conformance.ts";
import { checkStrings, type StringOperation, stringOperations } from "./compute.ts";
import { stringCheck } from "./index.ts";

describe("checkStrings", () => {
  it.each<[StringOperation, string, string, boolean]>([
    ["equals", "a", "a", true],
    ["equals", "a", "A", false],
    ["==", "a", "a", true],
    ["!=", "a", "A", true],
    ["<>", "a", "a", false],
    ["not equals", "a", "b", true],
    ["contains", "hello", "ell", true],
    ["contains", "ell", "hello", false],
    ["contains", "hello", "ELL", false],
    ["not contains", "hello", "z", true],
    ["not contains", "hello", "h", false],
    ["startswith", "hello", "he", true],
    ["startswith", "hello", "lo", false],
    ["endswith", "hello", "lo", true],
    ["endswith", "hello", "he", false],
    ["contains", "hello", "", true],
    ["equals", "", "", true],
  ])("%s: %j and %j is %s", (operation, left, right, holds) => {
    expect(checkStrings(operation, left, right)).toBe(holds);
  });

  it("knows every operation", () => {
    for (const operation of stringOperations)
      expect(checkStrings(operation, "a", "b")).toBeTypeOf("boolean");
  });
});

describe("stringCheck", () => {
  const make = () =>
    stringCheck({
      operation: "contains",
      leftTemplate: "{{ output_text }}",
      rightTemplate: "{{ reference.word }}",
    });

  it("compares what its templates give", async () => {
    const input = metricInput({ reference: { word: "five" }, outputText: "It is five." });

    expect((await make().compute(input, metricContextOf())).outputs).toStrictEqual({
      "string-check": 1,
    });
  });

  it("refuses an operand that is no text", async () => {
    const metric = stringCheck({
      operation: "==",
      leftTemplate: "{{ reference.n }}",
      rightTemplate: "5",
    });

    await expect(
      metric.compute(metricInput({ reference: { n: 5 } }), metricContextOf()),
    ).rejects.toThrow("string-check.left_template: gives a value of type number");
  });

  it("needs what its templates read of the output", () => {
    expect(make().needs).toStrictEqual(["text"]);
    expect(
      stringCheck({
        operation: "==",
        leftTemplate: "{{ sample.response.a }}",
        rightTemplate: "{{ reward }}",
      }).needs,
    ).toStrictEqual(["response", "reward"]);
  });

  it("names the operations where one is misspelt", () => {
    expect(() =>
      stringCheck.fromConfig({ operation: "startsWith", left_template: "a", right_template: "b" }),
    ).toThrow(/metric "string-check": operation: .*"startswith"/);
  });

  describe("keeps the contract", () => {
    const cases = [
      { name: "a match", input: metricInput({ reference: { word: "a" }, outputText: "a" }) },
    ];

    for (const { name, run } of metricConformance({ make, cases, context: metricContextOf() }))
      it(name, run);
  });
});
