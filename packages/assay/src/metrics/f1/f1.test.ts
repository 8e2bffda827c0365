import { describe, expect, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import { metricConformance } from "../../testing/metric-conformance.ts";
import { f1Score } from "./compute.ts";
import { f1 } from "./index.ts";

// The first three rows are those of the specification (core §4.4); the others are counted by hand.
describe("f1Score", () => {
  it.each([
    ["a b c", "a b", 2 / 3],
    ["cat cat dog", "cat dog dog", 2 / 3],
    ["", "x", 0],
    ["x", "", 0],
    ["", "", 1],
    ["the", "a", 1],
    ["one two", "three four", 0],
    ["one two three four", "one", 0.4],
    ["one two", "Two, one!", 1],
    ["x", "x x x x", 0.4],
  ])("%j against %j is %d", (reference, candidate, score) => {
    expect(f1Score(reference, candidate)).toBeCloseTo(score, 12);
  });
});

describe("f1", () => {
  const make = () => f1({ reference: "{{ item.reference.answer }}" });

  it("gives one output called f1", async () => {
    const input = metricInput({ reference: { answer: "one two" }, outputText: "two" });

    const result = await make().compute(input, metricContextOf());

    expect(result.outputs["f1"]).toBeCloseTo(2 / 3, 12);
  });

  describe("keeps the contract", () => {
    const input = metricInput({ reference: { answer: "one two" }, outputText: "two" });
    const cases = [{ name: "a shared word", input }];

    for (const { name, run } of metricConformance({ make, cases, context: metricContextOf() })) {
      it(name, run);
    }
  });
});
