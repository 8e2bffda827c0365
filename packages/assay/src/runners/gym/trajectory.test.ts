import { expect, it } from "vitest";

import { parseJson } from "../../support/json.ts";
import { trajectoryOf } from "./trajectory.ts";

const session = { id: "t:0", agent: "simple_agent", version: "0.4.0" };

function stepsOf(input: unknown, output: unknown) {
  const text = trajectoryOf(
    { responses_create_params: { input }, response: { model: "m", output } } as never,
    session,
  );
  return text === null ? null : (parseJson(text, "trace") as { steps: unknown[] }).steps;
}

it("a rollout's items are steps: a call with its answer is one, and the agent speaks anew after it", () => {
  const input = [
    { role: "developer", content: "be kind" },
    { role: "user", content: [{ type: "input_text", text: "weather?" }] },
  ];
  const output = [
    { type: "reasoning", summary: [{ type: "summary_text", text: "I look it up" }] },
    { type: "function_call", call_id: "c1", name: "get_weather", arguments: '{"city":"SF"}' },
    { type: "function_call", call_id: "c2", name: "get_time", arguments: "no json" },
    { type: "function_call_output", call_id: "c1", output: "cold" },
    { type: "message", role: "assistant", content: [{ type: "output_text", text: "Cold." }] },
    { type: "message", role: "user", content: "And now?" },
    { type: "web_search_call", id: "w" },
    { type: "message", role: "assistant", content: "Warm." },
  ];

  expect(stepsOf(input, output)).toStrictEqual([
    { step_id: 1, source: "system", message: "be kind" },
    { step_id: 2, source: "user", message: "weather?" },
    {
      step_id: 3,
      source: "agent",
      message: "",
      reasoning_content: "I look it up",
      tool_calls: [
        { tool_call_id: "c1", function_name: "get_weather", arguments: { city: "SF" } },
        { tool_call_id: "c2", function_name: "get_time", arguments: { arguments: "no json" } },
      ],
      observation: { results: [{ source_call_id: "c1", content: "cold" }] },
    },
    { step_id: 4, source: "agent", message: "Cold." },
    { step_id: 5, source: "user", message: "And now?" },
    { step_id: 6, source: "agent", message: "Warm." },
  ]);
});

it.each<[string, unknown, unknown, number | null]>([
  ["a prompt of text", "hi", [], 1],
  ["nothing", [], [], null],
  ["what is no list", 3, "x", null],
])("a rollout of %s", (_case, input, output, count) => {
  expect(stepsOf(input, output)?.length ?? null).toBe(count);
});
