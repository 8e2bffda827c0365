import { describe, expect, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import { atifTrace, otlpTrace, toolCall } from "../../../../../test/support/trajectories.ts";
import type { JsonObject } from "../../support/json.ts";
import { metricConformance } from "../../testing/metric-conformance.ts";
import { toolCallCount } from "./index.ts";

async function count(
  evidence: JsonObject,
  settings: Parameters<typeof toolCallCount>[0] = { toolName: "analyzer" },
) {
  const { outputs, diagnostics } = await toolCallCount(settings).compute(
    metricInput({ evidence }),
    metricContextOf(),
  );
  return {
    outputs: [outputs["tool_call_count"], outputs["tool_call_count_matches"]],
    messages: diagnostics?.map(({ severity, message }) => `${severity}: ${message}`),
  };
}

const called = (...names: string[]) => ({
  trace: atifTrace({ tool_calls: names.map((name) => toolCall(name)) }),
});

describe("toolCallCount", () => {
  it.each<[string, string[], number, [number, boolean]]>([
    [
      "the name itself and one behind a prefix",
      ["analyzer", "mcp__analyzer__analyzer"],
      2,
      [2, true],
    ],
    ["a name that goes on", ["analyzer_v2"], 1, [0, false]],
    ["a name behind a hyphen", ["server-analyzer"], 1, [1, true]],
    ["a name without a mark before it", ["myanalyzer", "my.analyzer"], 0, [0, true]],
    ["another spelling", ["Analyzer"], 1, [0, false]],
    ["the mark alone", ["_analyzer"], 1, [1, true]],
    ["more calls than expected", ["analyzer", "analyzer"], 1, [2, false]],
    ["no call", [], 0, [0, true]],
  ])("counts %s", async (_case, names, expectedCalls, outputs) => {
    const result = await count(called(...names), { toolName: "analyzer", expectedCalls });

    expect(result.outputs).toStrictEqual(outputs);
    expect(result.messages).toStrictEqual(['info: read the trajectory "trace" in the format atif']);
  });

  it.each<[string, JsonObject, string]>([
    ["is not there", {}, 'warning: evidence "trace" does not hold a trajectory'],
    [
      "is of another kind",
      { trace: { kind: "logs", ref: "x" } },
      'warning: evidence "trace" does not',
    ],
    ["is in another format", { trace: { kind: "trace", format: "json", data: {} } }, "warning: "],
    [
      "is spoilt",
      { trace: { kind: "trace", data: { schema_version: "ATIF-v1" } } },
      'warning: evidence "trace": steps',
    ],
    [
      "lies in a file that is gone",
      { trace: { kind: "trace", ref: "no/such/file" } },
      "is not there",
    ],
  ])(
    "is 0 with a warning, never an error, when the trajectory %s",
    async (_case, evidence, why) => {
      const none = await count(evidence, { toolName: "analyzer", expectedCalls: 0 });

      expect(none.outputs).toStrictEqual([0, true]);
      expect(none.messages).toStrictEqual([expect.stringContaining(why)]);
      expect((await count(evidence)).outputs).toStrictEqual([0, false]);
    },
  );

  it("reads OTLP where there is no ATIF, and another name when it is told to", async () => {
    const span = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "analyzer" };

    expect((await count({ trace: otlpTrace(span, span) })).outputs).toStrictEqual([2, false]);
    expect(
      (await count({ trace: otlpTrace(span, span), "trace:atif": called("analyzer").trace }))
        .outputs,
    ).toStrictEqual([1, true]);
    expect(
      await count(
        { mine: called("analyzer").trace },
        { toolName: "analyzer", traceEvidence: "mine" },
      ),
    ).toStrictEqual({
      outputs: [1, true],
      messages: ['info: read the trajectory "mine" in the format atif'],
    });
  });

  it("tells of ATIF that is spoilt when it reads OTLP in its place", async () => {
    const spoilt = { kind: "trace", data: { steps: 5 } };
    const { outputs, messages } = await count({
      trace: spoilt,
      "trace:otlp": otlpTrace({ "gen_ai.tool.name": "analyzer" }),
    });

    expect(outputs).toStrictEqual([1, true]);
    expect(messages).toStrictEqual([
      expect.stringMatching(/^warning: evidence "trace": schema_version/),
      'info: read the trajectory "trace" in the format otlp',
    ]);
  });

  it("is told in YAML by snake_case", () => {
    expect(toolCallCount.fromConfig({ tool_name: "a", expected_calls: 0 }).config).toStrictEqual({
      tool_name: "a",
      expected_calls: 0,
      trace_evidence: "trace",
    });
    expect(() => toolCallCount.fromConfig({ tool_name: "a", expected_calls: -1 })).toThrow(
      "expected_calls",
    );
    expect(() => toolCallCount.fromConfig({})).toThrow("tool_name");
  });

  describe("keeps the contract", () => {
    const cases = [
      { name: "a call", input: metricInput({ evidence: called("analyzer") }) },
      { name: "no evidence", input: metricInput() },
    ];
    for (const { name, run } of metricConformance({
      make: () => toolCallCount({ toolName: "analyzer" }),
      cases,
      context: metricContextOf(),
    })) {
      it(name, run);
    }
  });
});
