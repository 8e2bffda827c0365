import { describe, expect, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { metricConformance } from "../../testing/metric-conformance.ts";
import { exactMatchScore } from "./compute.ts";
import { exactMatch } from "./index.ts";

const reference = "{{ item.reference.answer }}";

// The first five rows are those of the specification (core §4.4), whose source is the SQuAD evaluation script.
describe("exactMatchScore", () => {
  it.each([
    ["The Cat", "the cat", 1],
    ["The cat sat on a mat.", "cat sat on mat", 1],
    ["", "", 1],
    ["U.S.A", "usa", 1],
    ["a-an", "aan", 1],
    ["“quotes”", "quotes", 0],
    ["  two\t\nwords ", "two words", 1],
    ["anthem", "them", 0],
    ["él a été", "él été", 1],
    ["éa", "é", 0],
    ["5", "6", 0],
    ["x", "", 0],
  ])("%j against %j is %d", (reference, candidate, score) => {
    expect(exactMatchScore(reference, candidate)).toBe(score);
  });
});

describe("exactMatch", () => {
  it("scores the output text by default", async () => {
    const input = metricInput({ reference: { answer: "Five" }, outputText: "the five." });

    const result = await exactMatch({ reference }).compute(input, metricContextOf());

    expect(result.outputs).toStrictEqual({ "exact-match": 1 });
  });

  it("scores what `candidate` names", async () => {
    const metric = exactMatch({ reference: "5", candidate: "{{ response.answer }}" });

    const result = await metric.compute(
      metricInput({ response: { answer: "5" } }),
      metricContextOf(),
    );

    expect(result.outputs).toStrictEqual({ "exact-match": 1 });
    expect(metric.needs).toStrictEqual(["response"]);
  });

  it("accepts an empty output text", async () => {
    const result = await exactMatch({ reference: "x" }).compute(
      metricInput({ outputText: "" }),
      metricContextOf(),
    );

    expect(result.outputs).toStrictEqual({ "exact-match": 0 });
  });

  it("says that the trial lacks its input, which a partial trial is excused for", async () => {
    const compute = exactMatch({ reference: "x" }).compute(metricInput(), metricContextOf());

    await expect(compute).rejects.toMatchObject({ data: { isInputAbsent: true } });
    await expect(compute).rejects.toThrow("the trial has no output text; `candidate` can name");
  });

  it("refuses a reference that is no text", async () => {
    const metric = exactMatch({ reference: "{{ item.reference.n }}" });
    const input = metricInput({ reference: { n: 5 }, outputText: "5" });

    await expect(metric.compute(input, metricContextOf())).rejects.toThrow(
      "exact-match.reference: gives a value of type number, but text is needed",
    );
  });

  it("names the metric and the field of a template that reads what is not there", async () => {
    const metric = exactMatch({ reference: "{{ item.reference.answr }}" });
    const input = metricInput({ reference: { answer: "5" }, outputText: "5" });

    const failure: unknown = await metric
      .compute(input, metricContextOf())
      .catch((thrown) => thrown);

    expect(AssayError.isInstance(failure) && failure.code).toBe("ASSAY_TEMPLATE_UNDEFINED");
    expect((failure as AssayError).message).toMatch(
      /^exact-match\.reference: .*did you mean "answer"/,
    );
  });

  describe("keeps the contract", () => {
    const cases = [
      {
        name: "an equal text",
        input: metricInput({ reference: { answer: "5" }, outputText: "5" }),
      },
      { name: "no text at all", input: metricInput({ reference: { answer: "" }, outputText: "" }) },
    ];
    const make = () => exactMatch({ reference });

    for (const { name, run } of metricConformance({ make, cases, context: metricContextOf() })) {
      it(name, run);
    }
  });
});
