import { describe, expect, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import type { JsonObject, JsonValue } from "../../support/json.ts";
import { metricConformance } from "../../testing/metric-conformance.ts";
import { toolCalling } from "./index.ts";

const call = (name: string, args: JsonValue): JsonObject => ({
  function: { name, arguments: args },
});
const response = (...calls: readonly JsonValue[]): JsonObject => ({
  choices: [{ message: { role: "assistant", tool_calls: calls } }],
});
const make = () => toolCalling({ reference: "{{ reference.calls }}" });

async function score(calls: JsonValue, given: JsonValue, unparsed?: "zero") {
  const metric = toolCalling({ reference: "{{ reference.calls }}", ...(unparsed && { unparsed }) });
  const { outputs } = await metric.compute(
    metricInput({ reference: { calls }, response: given }),
    metricContextOf(),
  );
  return [outputs["function_name_accuracy"], outputs["function_name_and_args_accuracy"]];
}

describe("toolCalling", () => {
  it.each<[string, JsonValue, JsonValue, [number, number]]>([
    ["the same call", [call("add", { a: 1 })], response(call("add", '{"a": 1}')), [1, 1]],
    [
      "another order of calls",
      [call("a", {}), call("b", {})],
      response(call("b", "{}"), call("a", "{}")),
      [1, 1],
    ],
    [
      "another order of arguments",
      [call("a", { x: 1, y: [2] })],
      response(call("a", '{"y": [2], "x": 1.0}')),
      [1, 1],
    ],
    ["other arguments", [call("a", { x: 1 })], response(call("a", '{"x": 2}')), [1, 0]],
    ["another name", [call("a", {})], response(call("b", "{}")), [0, 0]],
    ["a name in another case", [call("a", {})], response(call("A", "{}")), [0, 0]],
    ["a call that is missing", [call("a", {}), call("a", {})], response(call("a", "{}")), [0, 0]],
    ["a call too many", [call("a", {})], response(call("a", "{}"), call("a", "{}")), [0, 0]],
    [
      "the same call twice",
      [call("a", { n: 1 }), call("a", { n: 2 })],
      response(call("a", '{"n": 2}'), call("a", '{"n": 1}')),
      [1, 1],
    ],
    ["arguments of null", [call("a", {})], response(call("a", null)), [1, 1]],
    ["arguments as data", [call("a", { x: 1 })], response(call("a", { x: 1 })), [1, 1]],
    ["a reference with JSON text", [call("a", '{"x": 1}')], response(call("a", '{"x":1}')), [1, 1]],
    ["a call without a name", [], response({ function: { arguments: "{}" } }), [1, 1]],
    ["no calls at all", [], { choices: [{ message: { content: "hi" } }] }, [1, 1]],
    ["no calls where one is wanted", [call("a", {})], { choices: [{ message: {} }] }, [0, 0]],
    [
      "a second choice, which does not count",
      [call("a", {})],
      {
        choices: [
          ...(response(call("a", "{}"))["choices"] as JsonValue[]),
          { message: { tool_calls: [call("b", "{}")] } },
        ],
      },
      [1, 1],
    ],
  ])("%s", async (_case, reference, given, expected) => {
    expect(await score(reference, given)).toStrictEqual(expected);
  });

  it("gives no score for arguments that are no JSON, and a score for the names", async () => {
    expect(await score([call("a", {})], response(call("a", "{oops")))).toStrictEqual([
      1,
      Number.NaN,
    ]);
    expect(await score([call("b", {})], response(call("a", "{oops")))).toStrictEqual([0, 0]);
  });

  it("can charge arguments that are no JSON to the agent", async () => {
    expect(await score([call("a", {})], response(call("a", "{oops")), "zero")).toStrictEqual([
      1, 0,
    ]);
  });

  it.each<[string, JsonValue, JsonValue, string]>([
    [
      "a reference that is no list",
      "add",
      response(),
      "the reference gives a string, not a list of calls",
    ],
    [
      "a reference without arguments",
      [{ function: { name: "a" } }],
      response(),
      "call 0 of the reference needs",
    ],
    [
      "a reference with broken arguments",
      [call("a", "{oops")],
      response(),
      "the arguments of call 0 of the reference are no JSON",
    ],
    [
      "a response without choices",
      [],
      { error: "busy" },
      'the response has no choices[0].message: {"error":"busy"}',
    ],
    ["an empty list of choices", [], { choices: [] }, "no choices[0].message"],
    ["a response that is text", [], "hello", "no choices[0].message"],
    [
      "calls that are no list",
      [],
      { choices: [{ message: { tool_calls: {} } }] },
      "tool_calls of the response is an object",
    ],
  ])("fails for %s", async (_case, reference, given, problem) => {
    await expect(score(reference, given)).rejects.toThrow(
      `metric "tool-calling": ${problem}`.slice(0, 23),
    );
    await expect(score(reference, given)).rejects.toThrow(problem);
  });

  it("takes a reference that is written out", async () => {
    const metric = toolCalling({ reference: [call("add", { a: "{{ inputs.a }}" })] });
    const input = metricInput({ inputs: { a: 2 }, response: response(call("add", '{"a": 2}')) });

    expect(
      (await metric.compute(input, metricContextOf())).outputs["function_name_and_args_accuracy"],
    ).toBe(1);
  });

  it("says that the trial has no response", async () => {
    const input = metricInput({ reference: { calls: [] }, outputText: "hi" });

    await expect(make().compute(input, metricContextOf())).rejects.toMatchObject({
      data: { isInputAbsent: true },
    });
  });

  describe("keeps the contract", () => {
    const frozen = Object.freeze({
      choices: Object.freeze([Object.freeze({ message: Object.freeze({}) })]),
    });
    const cases = [
      {
        name: "a call",
        input: metricInput({
          reference: { calls: [call("a", {})] },
          response: response(call("a", "{}")),
        }),
      },
      {
        name: "a frozen response",
        input: metricInput({ reference: { calls: [] }, response: frozen as unknown as JsonValue }),
      },
    ];

    for (const { name, run } of metricConformance({ make, cases, context: metricContextOf() }))
      it(name, run);
  });
});
