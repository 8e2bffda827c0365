import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  type StepDraft,
  TrajectoryRecorder,
} from "../../packages/assay/src/runners/define/trajectory.ts";
import type { JsonObject } from "../../packages/assay/src/support/json.ts";
import { parseTrajectory } from "../../packages/assay/src/trajectory/read-trajectory.ts";
import { sharedFixtures } from "../support/tools.ts";

const instant = "2026-07-31T11:46:40Z";
const usage = { promptTokens: 9, completionTokens: null, cacheReadTokens: 2, costUsd: 0.5 };

function written(steps: readonly StepDraft[]): string {
  const recorder = new TrajectoryRecorder();
  for (const step of steps) recorder.add(step, instant);
  return recorder.format({ id: "run:task:0", agent: "worker", version: "1", model: "m", usage });
}

const read = (text: string) =>
  parseTrajectory(Buffer.from(text), { format: "atif", source: "written" });

/** All that strict readers of the format know: an object with another key is refused by them. */
const known = {
  document: [
    "schema_version",
    "session_id",
    "trajectory_id",
    "agent",
    "steps",
    "notes",
    "final_metrics",
    "continued_trajectory_ref",
    "extra",
    "subagent_trajectories",
  ],
  agent: ["name", "version", "model_name", "tool_definitions", "extra"],
  step: [
    "step_id",
    "timestamp",
    "source",
    "model_name",
    "reasoning_effort",
    "message",
    "reasoning_content",
    "tool_calls",
    "observation",
    "metrics",
    "is_copied_context",
    "llm_call_count",
    "extra",
  ],
  call: ["tool_call_id", "function_name", "arguments", "extra"],
  observation: ["results"],
  result: ["source_call_id", "content", "subagent_trajectory_ref", "extra"],
  metrics: [
    "prompt_tokens",
    "completion_tokens",
    "cached_tokens",
    "cost_usd",
    "prompt_token_ids",
    "completion_token_ids",
    "logprobs",
    "extra",
  ],
  finalMetrics: [
    "total_prompt_tokens",
    "total_completion_tokens",
    "total_cached_tokens",
    "total_cost_usd",
    "total_steps",
    "extra",
  ],
};
const ofAgentsOnly = [
  "model_name",
  "reasoning_effort",
  "reasoning_content",
  "tool_calls",
  "metrics",
];

interface Document extends JsonObject {
  readonly steps: readonly (JsonObject & {
    readonly tool_calls?: readonly JsonObject[];
    readonly observation?: { readonly results: readonly JsonObject[] };
  })[];
}

/** What a strict reader would refuse. */
function problemsOf(document: Document): string[] {
  const problems: string[] = [];
  const keys = (value: unknown, names: readonly string[], at: string) => {
    for (const key of Object.keys(value ?? {}))
      if (!names.includes(key)) problems.push(`${at}.${key} is not of the format`);
  };
  keys(document, known.document, "document");
  keys(document["agent"], known.agent, "agent");
  keys(document["final_metrics"], known.finalMetrics, "final_metrics");
  for (const [index, step] of document.steps.entries()) {
    const at = `steps[${index}]`;
    keys(step, known.step, at);
    keys(step["metrics"], known.metrics, `${at}.metrics`);
    keys(step.observation, known.observation, `${at}.observation`);
    if (step["step_id"] !== index + 1) problems.push(`${at}.step_id is out of order`);
    if (typeof step["message"] !== "string") problems.push(`${at}.message is no text`);
    const calls = step.tool_calls ?? [];
    for (const call of calls) {
      keys(call, known.call, `${at}.tool_calls`);
      if (typeof call["tool_call_id"] !== "string") problems.push(`${at}: a call without an id`);
    }
    for (const result of step.observation?.results ?? []) {
      keys(result, known.result, `${at}.results`);
      const id = result["source_call_id"] ?? null;
      if (id !== null && !calls.some((call) => call["tool_call_id"] === id))
        problems.push(`${at} answers a call that it does not have`);
      if (typeof (result["content"] ?? "") !== "string") problems.push(`${at}: content is no text`);
    }
    if (step["source"] !== "agent")
      for (const key of ofAgentsOnly) if (key in step) problems.push(`${at}.${key} is an agent's`);
  }
  return problems;
}

const text = fc.string({ unit: "binary", maxLength: 12 });
const id = fc.constantFrom("a", "b", "call_1_0", "");
const data = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)));
const object = fc.dictionary(text, data, { noNullPrototype: true });
const count = fc.option(
  fc.oneof(fc.nat(), fc.constantFrom(-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY)),
);
const stepDraft = fc.record(
  {
    source: fc.constantFrom("system", "user", "agent"),
    message: fc.option(text),
    reasoning: fc.option(text),
    model: fc.option(text),
    toolCalls: fc.option(
      fc.array(fc.record({ id: fc.option(id), name: text, arguments: fc.option(object) }), {
        maxLength: 3,
      }),
    ),
    observations: fc.option(
      fc.array(
        fc.record({
          callId: fc.option(id),
          content: fc.oneof(text, data),
          extra: fc.option(object),
        }),
        { maxLength: 3 },
      ),
    ),
    promptTokens: count,
    completionTokens: count,
    cachedTokens: count,
    costUsd: count,
  },
  { requiredKeys: [] },
) as fc.Arbitrary<StepDraft>;

describe("what is written of an agent's steps", () => {
  it("is what a reader of trajectories finds, whatever they say", () => {
    fc.assert(
      fc.property(fc.array(stepDraft, { minLength: 1, maxLength: 4 }), (drafts) => {
        const document = written(drafts);
        const view = read(document);

        expect(problemsOf(JSON.parse(document) as Document)).toStrictEqual([]);
        expect(view).toMatchObject({
          sessionId: "run:task:0",
          agent: { name: "worker", version: "1", modelName: "m" },
        });
        expect(view.usage.promptTokens).toBe(9);
        expect(view.steps).toHaveLength(drafts.length);
        for (const [index, draft] of drafts.entries()) {
          const step = view.steps[index];
          const isAgent = (draft.source ?? "agent") === "agent";
          expect(step).toMatchObject({
            stepId: index + 1,
            timestamp: instant,
            source: draft.source ?? "agent",
            message: draft.message ?? "",
            reasoning: isAgent ? (draft.reasoning ?? null) : null,
            modelName: isAgent ? (draft.model ?? null) : null,
          });
          expect(step?.toolCalls).toStrictEqual(
            (isAgent ? (draft.toolCalls ?? []) : []).map((call, at) => ({
              id: call.id ?? `call_${index + 1}_${at}`,
              name: call.name,
              arguments: call.arguments ?? {},
            })),
          );
          expect(step?.observations.map(({ content }) => content)).toStrictEqual(
            (draft.observations ?? []).map(({ content }) =>
              typeof content === "string" ? content : JSON.stringify(content),
            ),
          );
          expect(step?.observations.map(({ callId }) => callId)).toStrictEqual(
            (draft.observations ?? []).map(({ callId, extra }) => {
              const said = extra?.["call_id"];
              return callId ?? (typeof said === "string" ? said : null);
            }),
          );
          const tokens = draft.promptTokens ?? Number.NaN;
          const isCount = isAgent && Number.isSafeInteger(tokens) && tokens >= 0;
          expect(step?.usage?.promptTokens ?? null).toBe(isCount ? tokens : null);
        }
      }),
      { numRuns: 150 },
    );
  });

  it("has the keys of a real recording, each of the same kind", () => {
    const real = JSON.parse(
      readFileSync(sharedFixtures("atif/hermes-swebench.trimmed.atif.json"), "utf8"),
    ) as Document;
    const own = JSON.parse(
      written([
        { source: "user", message: "go" },
        {
          message: "I look.",
          model: "m",
          toolCalls: [{ id: "c", name: "find", arguments: { q: "x" } }],
          observations: [{ callId: "c", content: "found" }],
          promptTokens: 1,
          completionTokens: 2,
          cachedTokens: 0,
        },
      ]),
    ) as Document;

    expect(problemsOf(real)).toStrictEqual([]);
    for (const key of Object.keys(own)) expect(typeof real[key], key).toBe(typeof own[key]);
    const step = real.steps[2] as JsonObject;
    for (const key of Object.keys(own.steps[1] ?? {}))
      expect(typeof step[key], key).toBe(typeof own.steps[1]?.[key]);
  });

  it.each<[string, object, string]>([
    ["a source that there is not", { source: "assistant" }, "source"],
    ["a message that is no text", { message: 5 }, "message"],
    ["a call without a name", { toolCalls: [{ id: "1" }] }, "toolCalls[0].name"],
    [
      "arguments as text",
      { toolCalls: [{ name: "f", arguments: "{}" }] },
      "toolCalls[0].arguments",
    ],
    ["a key that there is not", { tool_calls: [] }, 'unknown key "tool_calls"'],
    [
      "an answer that is no JSON",
      { observations: [{ content: () => 1 }] },
      "observations[0].content",
    ],
  ])("is refused for %s, which the error names", (_case, step, problem) => {
    expect(() => new TrajectoryRecorder().add(step as StepDraft, null)).toThrow(problem);
  });

  it("leaves the time out where it is not known", () => {
    const recorder = new TrajectoryRecorder();
    recorder.add({ message: "x" }, null);

    expect(
      read(recorder.format({ id: "i", agent: "a", version: null })).steps[0]?.timestamp,
    ).toBeNull();
  });
});
