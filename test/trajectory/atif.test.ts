import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import {
  parseTrajectory,
  readTrajectory,
} from "../../packages/assay/src/trajectory/read-trajectory.ts";
import { sharedFixtures } from "../support/tools.ts";

const read = (document: unknown) =>
  readTrajectory(document, { format: "atif", source: 'evidence "trace"' });

const step = (more: object = {}) => ({ step_id: 1, source: "agent", message: "done", ...more });
const document = (more: object = {}) => ({ schema_version: "ATIF-v1.4", steps: [step()], ...more });

describe("an ATIF trajectory", () => {
  it("is read from a real recording: 87 steps, their calls, tokens and last message", () => {
    const bytes = readFileSync(sharedFixtures("atif/hermes-swebench.trimmed.atif.json"));
    const view = parseTrajectory(bytes, { format: "atif", source: "recording" });

    expect(view).toMatchObject({
      format: "atif",
      schemaVersion: "ATIF-v1.7",
      sessionId: "019f616c-5eb1-7c92-928f-b4130bd4a519",
      trajectoryId: "019f616c-5eb1-7c92-928f-b4130bd4a519",
      agent: {
        name: "harbor-swebench-hermes",
        version: "0.5.0",
        modelName: "nvidia/nemotron-3-nano",
      },
      usage: { promptTokens: 1_000_574, completionTokens: 23_764, cachedTokens: 0, costUsd: null },
      gaps: [{ field: "usage.costUsd", reason: "not_recorded" }],
    });
    expect(view.steps).toHaveLength(87);
    const bySource = (source: string) => view.steps.filter((one) => one.source === source).length;
    expect([bySource("system"), bySource("user"), bySource("agent")]).toStrictEqual([3, 42, 42]);
    expect(view.toolCalls).toHaveLength(39);
    expect(view.toolCalls.filter(({ name }) => name === "execute_code")).toHaveLength(20);
    expect(view.toolCalls[0]).toStrictEqual({
      id: "call_c7177dcd5da34c88b5bbf31b",
      name: "search_files",
      arguments: { pattern: "ReadOnlyPasswordHashField", target: "content" },
    });
    expect(view.steps[2]?.observations[0]?.content).toBe('{"total_count": 0}');
    expect(view.finalMessage).toMatch(/^\n\*\*Verification status:\*\*/);
  });

  it("has the same sums where the recording lacks those of the whole", () => {
    const text = readFileSync(sharedFixtures("atif/hermes-swebench.trimmed.atif.json"), "utf8");
    const without = read({ ...JSON.parse(text), final_metrics: null });

    expect(without.usage).toStrictEqual({
      promptTokens: 1_000_574,
      completionTokens: 23_764,
      cachedTokens: 0,
      costUsd: null,
    });
  });

  it("is open: what a producer adds anywhere is passed over", () => {
    const view = read(
      document({
        future: { deep: [1] },
        agent: { name: "a", mood: "good" },
        steps: [
          step({
            later: 1,
            tool_calls: [{ function_name: "f", more: true }],
            observation: { results: [{ content: { any: ["thing"] }, more: 1 }], more: 1 },
            metrics: { prompt_tokens: 3, more: 1 },
          }),
        ],
      }),
    );

    expect(view.steps[0]).toMatchObject({
      toolCalls: [{ id: null, name: "f", arguments: null }],
      observations: [{ callId: null, content: { any: ["thing"] } }],
      usage: { promptTokens: 3, completionTokens: null },
    });
    expect(Object.isFrozen(view.steps[0]?.toolCalls)).toBe(true);
  });

  it.each<[string, unknown, string]>([
    ["no object", [], "expected object"],
    ["no version", { steps: [step()] }, "schema_version"],
    [
      "a version of another format",
      document({ schema_version: "OTLP-1" }),
      'must begin with "ATIF-"',
    ],
    ["no steps", { schema_version: "ATIF-v1.0" }, "steps"],
    ["an empty list of steps", document({ steps: [] }), "steps: needs at least one step"],
    ["a step of nobody", document({ steps: [{ message: "x" }] }), "steps[0].source"],
    ["a step of somebody else", document({ steps: [step({ source: "tool" })] }), "steps[0].source"],
    ["step 0", document({ steps: [step({ step_id: 0 })] }), "steps[0].step_id"],
    [
      "a call without a name",
      document({ steps: [step({ tool_calls: [{ tool_call_id: "c" }] })] }),
      "steps[0].tool_calls[0].function_name",
    ],
    [
      "arguments that are a text",
      document({ steps: [step({ tool_calls: [{ function_name: "f", arguments: "{}" }] })] }),
      "steps[0].tool_calls[0].arguments",
    ],
    ["a message that is a number", document({ steps: [step({ message: 5 })] }), "steps[0].message"],
    [
      "more steps than are read",
      document({ steps: new Array(100_001).fill(null) }),
      "it has 100001 steps, and may have 100000",
    ],
  ])("is refused with %s, which the error names", (_case, given, problem) => {
    expect(() => read(given)).toThrow(
      expect.objectContaining({
        code: "ASSAY_TRAJECTORY_INVALID",
        message: expect.stringMatching(/^evidence "trace": /) as string,
      }),
    );
    expect(() => read(given)).toThrow(problem);
  });

  it.each<[string, [object[], object | null], object, string[]]>([
    [
      "the sums over the steps where it says nothing",
      [
        [
          { prompt_tokens: 5, cached_tokens: 2, cost_usd: 1 },
          { prompt_tokens: 7, completion_tokens: 1 },
        ],
        null,
      ],
      { promptTokens: 12, completionTokens: 1, cachedTokens: 2, costUsd: null },
      ["usage.costUsd: not_recorded"],
    ],
    [
      "what it says of the whole, field by field",
      [
        [{ prompt_tokens: 5, completion_tokens: 4 }],
        { total_prompt_tokens: 100, total_cost_usd: 0.5 },
      ],
      { promptTokens: 100, completionTokens: 4, cachedTokens: null, costUsd: 0.5 },
      ["usage.cachedTokens: not_recorded"],
    ],
    [
      "unknown where all counts are 0, for nobody counted",
      [[{ prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 }], null],
      { promptTokens: null, completionTokens: null, cachedTokens: 0, costUsd: null },
      [
        "usage.promptTokens: not_recorded",
        "usage.completionTokens: not_recorded",
        "usage.costUsd: not_recorded",
      ],
    ],
    [
      "whole numbers only",
      [
        [
          { prompt_tokens: 1.5 },
          { prompt_tokens: "3" },
          { prompt_tokens: -1 },
          { prompt_tokens: true },
        ],
        { total_completion_tokens: "many" },
      ],
      { promptTokens: null, completionTokens: null, cachedTokens: null, costUsd: null },
      [
        "usage.completionTokens: not_usable",
        "usage.promptTokens: not_recorded",
        "usage.cachedTokens: not_recorded",
        "usage.costUsd: not_recorded",
      ],
    ],
    [
      "the sums over the steps where the totals are no object",
      [[{ prompt_tokens: 5, completion_tokens: 1 }], ["total_prompt_tokens"]],
      { promptTokens: 5, completionTokens: 1, cachedTokens: null, costUsd: null },
      ["usage: not_usable", "usage.cachedTokens: not_recorded", "usage.costUsd: not_recorded"],
    ],
  ])("counts as tokens %s", (_case, [metrics, totals], usage, gaps) => {
    const steps = metrics.map((one) => step({ step_id: null, metrics: one }));
    const view = read(document({ steps, final_metrics: totals }));

    expect(view.usage).toStrictEqual(usage);
    expect(view.gaps.map(({ field, reason }) => `${field}: ${reason}`)).toStrictEqual(gaps);
  });

  it("says what the document leaves to others and what was dropped", () => {
    const view = read(
      document({
        extra: { dropped_steps: 3 },
        continued_trajectory_ref: "part-2.json",
        subagent_trajectories: [{}, {}],
      }),
    );

    expect(view.gaps.slice(0, 3)).toStrictEqual([
      { field: "steps", reason: "left_out", detail: "3 steps did not fit in" },
      { field: "steps", reason: "elsewhere", detail: 'it goes on in "part-2.json"' },
      {
        field: "steps",
        reason: "elsewhere",
        detail: "2 trajectories of other agents are embedded in it",
      },
    ]);
  });

  it("takes the text of a message in parts, and numbers steps that have no number", () => {
    const parts = [
      { type: "text", text: "a" },
      { type: "image", source: {} },
      { type: "text", text: "b" },
    ];
    const view = read(
      document({
        steps: [
          step({ step_id: undefined, message: parts }),
          step({ step_id: null, message: null }),
        ],
      }),
    );

    expect(view.steps.map(({ stepId, message }) => [stepId, message])).toStrictEqual([
      [1, "a\nb"],
      [2, ""],
    ]);
    expect(view.finalMessage).toBeNull();
  });

  it("gives every text: messages, reasoning, tools, arguments and answers, with their keys", () => {
    const view = read(
      document({
        steps: [
          step({
            message: "m",
            reasoning_content: "r",
            tool_calls: [{ function_name: "f", arguments: { path: ["p"], n: 1 } }],
            observation: { results: [{ content: "o" }, { content: { k: "v" } }] },
          }),
        ],
      }),
    );

    expect([...view.texts()]).toStrictEqual(["m", "r", "f", "path", "p", "n", "o", "k", "v"]);
  });
});
