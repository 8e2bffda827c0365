import { describe, expect, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import { atifTrace, otlpTrace, toolCall } from "../../../../../test/support/trajectories.ts";
import type { JsonObject } from "../../support/json.ts";
import { metricConformance } from "../../testing/metric-conformance.ts";
import { toolArgumentMatchesInput } from "./index.ts";

const inputs = { instruction: "Analyse  this\n text " };

async function matches(
  trial: { evidence: JsonObject; inputs?: JsonObject },
  settings: Partial<Parameters<typeof toolArgumentMatchesInput>[0]> = {},
) {
  const { outputs, diagnostics } = await toolArgumentMatchesInput({
    toolName: "analyzer",
    ...settings,
  }).compute(metricInput({ inputs, ...trial }), metricContextOf());
  return {
    value: outputs["tool_argument_matches_input"],
    why: diagnostics?.at(-1)?.message,
  };
}

const called = (...given: (JsonObject | null)[]) => ({
  evidence: { trace: atifTrace({ tool_calls: given.map((one) => toolCall("mcp_analyzer", one)) }) },
});

describe("toolArgumentMatchesInput", () => {
  it.each<[string, (JsonObject | null)[], "whitespace" | "exact", boolean, string]>([
    ["the very text", [{ text: inputs.instruction }], "exact", true, "read the trajectory"],
    [
      "other white space",
      [{ text: "Analyse this text" }],
      "whitespace",
      true,
      "read the trajectory",
    ],
    [
      "other white space",
      [{ text: "Analyse this text" }],
      "exact",
      false,
      "of call 1 of 1 is not the input",
    ],
    [
      "missing white space",
      [{ text: "Analysethis text" }],
      "whitespace",
      false,
      "is not the input",
    ],
    [
      "two calls, one edited",
      [{ text: inputs.instruction }, { text: "Analyse that text" }],
      "whitespace",
      false,
      "of call 2 of 2 is not the input",
    ],
    [
      "two calls, both right",
      [{ text: inputs.instruction }, { text: "Analyse this text" }],
      "whitespace",
      true,
      "read the trajectory",
    ],
    [
      "a missing argument",
      [{ prompt: inputs.instruction }],
      "whitespace",
      false,
      'no text as its argument "text"',
    ],
    [
      "an argument that is no text",
      [{ text: [inputs.instruction] }],
      "whitespace",
      false,
      'no text as its argument "text"',
    ],
    ["no arguments", [null], "whitespace", false, 'no text as its argument "text"'],
    ["no call", [], "whitespace", false, "the tool was not called"],
  ])("of %s (%j, %s) is %s", async (_case, ...[given, normalize, value, why]) => {
    expect(await matches(called(...given), { normalize })).toStrictEqual({
      value,
      why: expect.stringContaining(why),
    });
  });

  it.each<[string, { evidence: JsonObject; inputs?: JsonObject }, string]>([
    [
      "the task lacks the input",
      { ...called({ text: "x" }), inputs: {} },
      'no text as its input "instruction"',
    ],
    [
      "the input is no text",
      { ...called({ text: "5" }), inputs: { instruction: 5 } },
      'no text as its input "instruction"',
    ],
    ["there is no trajectory", { evidence: {} }, "does not hold a trajectory"],
    [
      "the trajectory is spoilt",
      { evidence: { trace: { kind: "trace", data: {} } } },
      "schema_version",
    ],
  ])("is false, never an error, where %s", async (_case, trial, why) => {
    expect(await matches(trial)).toStrictEqual({
      value: false,
      why: expect.stringContaining(why),
    });
  });

  it("compares the argument and the input that it is told to, own keys only", async () => {
    const trial = { ...called({ query: "sum", toString: "x" }), inputs: { topic: "sum" } };

    expect((await matches(trial, { argument: "query", inputKey: "topic" })).value).toBe(true);
    expect((await matches(trial, { argument: "query", inputKey: "constructor" })).value).toBe(
      false,
    );
  });

  it("reads OTLP where there is no ATIF", async () => {
    const span = {
      "gen_ai.tool.name": "analyzer",
      "gen_ai.tool.call.arguments": JSON.stringify({ text: inputs.instruction }),
    };

    expect(
      (await matches({ evidence: { trace: otlpTrace(span) } }, { normalize: "exact" })).value,
    ).toBe(true);
  });

  describe("keeps the contract", () => {
    const cases = [
      { name: "a call", input: metricInput({ inputs, ...called({ text: inputs.instruction }) }) },
      { name: "no evidence", input: metricInput() },
    ];
    for (const { name, run } of metricConformance({
      make: () => toolArgumentMatchesInput({ toolName: "analyzer" }),
      cases,
      context: metricContextOf(),
    })) {
      it(name, run);
    }
  });
});
