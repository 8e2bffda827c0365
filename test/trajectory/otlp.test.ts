import { describe, expect, it } from "vitest";

import { readTrajectory } from "../../packages/assay/src/trajectory/read-trajectory.ts";

type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };

interface SpanDraft {
  readonly id: string;
  readonly parent?: string;
  readonly trace?: string;
  readonly at?: number;
  readonly end?: number;
  readonly attributes?: Readonly<Record<string, Value>>;
  readonly events?: readonly {
    readonly name: string;
    readonly attributes: Record<string, Value>;
  }[];
}

function anyValue(value: Value): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: keyValues(value as Record<string, Value>) } };
}

const keyValues = (given: Readonly<Record<string, Value>>) =>
  Object.entries(given).map(([key, value]) => ({ key, value: anyValue(value) }));

/** Seconds after 2026-07-14T16:18:40Z. */
const instant = (seconds: number) => `${1_784_045_920 + seconds}000000001`;

function read(spans: readonly SpanDraft[], resource: Record<string, Value> = {}) {
  const written = spans.map(
    ({ id, parent, trace = "t1", at = 0, end = at, attributes = {}, events = [] }) => ({
      traceId: trace,
      spanId: id,
      parentSpanId: parent ?? "",
      name: `span ${id}`,
      startTimeUnixNano: instant(at),
      endTimeUnixNano: instant(end),
      attributes: keyValues(attributes),
      events: events.map((event) => ({
        name: event.name,
        attributes: keyValues(event.attributes),
      })),
    }),
  );
  const document = [
    { resource: { attributes: keyValues(resource) }, scopeSpans: [{ spans: written }] },
  ];
  return readTrajectory(document, { format: "otlp", source: "spans" });
}

const chat = (more: Record<string, Value>) => ({ "gen_ai.operation.name": "chat", ...more });
const tool = (name: string, more: Record<string, Value> = {}) => ({
  "gen_ai.operation.name": "execute_tool",
  "gen_ai.tool.name": name,
  ...more,
});
const called = (name: string, given: Value, id?: string) => ({
  role: "assistant",
  parts: [{ type: "tool_call", name, arguments: given, ...(id === undefined ? {} : { id }) }],
});
const said = (text: string) => ({ role: "assistant", parts: [{ type: "text", content: text }] });

describe("a trajectory of OpenTelemetry", () => {
  it("has a step for each call of a model, with what it was sent, asked for and was answered", () => {
    const history = [
      { role: "system", parts: [{ type: "text", content: "Be brief." }] },
      { role: "user", parts: [{ type: "text", content: "Add 2 and 3" }] },
    ];
    const view = read(
      [
        {
          id: "root",
          at: 0,
          end: 9,
          attributes: {
            "gen_ai.operation.name": "invoke_agent",
            "gen_ai.agent.name": "adder",
            "gen_ai.conversation.id": "c-1",
            "gen_ai.usage.input_tokens": 30,
          },
        },
        // Written as it ended, before what began earlier.
        {
          id: "tool",
          parent: "root",
          at: 3,
          end: 4,
          attributes: tool("add", { "gen_ai.tool.call.id": "k1", "gen_ai.tool.call.result": "5" }),
        },
        {
          id: "chat-1",
          parent: "root",
          at: 1,
          end: 2,
          attributes: chat({
            "gen_ai.request.model": "m",
            "gen_ai.response.model": "m-2026",
            "gen_ai.usage.input_tokens": 10,
            "gen_ai.usage.output_tokens": 4,
            "gen_ai.input.messages": JSON.stringify(history),
            "gen_ai.output.messages": JSON.stringify([
              {
                role: "assistant",
                parts: [
                  { type: "reasoning", content: "hm" },
                  ...called("add", { a: 2, b: 3 }, "k1").parts,
                ],
              },
            ]),
          }),
        },
        {
          id: "chat-2",
          parent: "root",
          at: 5,
          end: 6,
          attributes: chat({
            "gen_ai.usage.input_tokens": 20,
            "gen_ai.usage.output_tokens": 1,
            "gen_ai.usage.cache_read.input_tokens": 8,
            "gen_ai.input.messages": history,
            "gen_ai.output.messages": [said("5")],
          }),
        },
      ],
      { "service.name": "svc" },
    );

    expect(view).toMatchObject({
      format: "otlp",
      schemaVersion: null,
      sessionId: "c-1",
      trajectoryId: "t1",
      agent: { name: "adder", version: null, modelName: "m-2026" },
      finalMessage: "5",
      usage: { promptTokens: 30, completionTokens: 5, cachedTokens: 8, costUsd: null },
    });
    expect(view.steps).toStrictEqual([
      expect.objectContaining({ stepId: 1, source: "system", message: "Be brief." }),
      expect.objectContaining({ stepId: 2, source: "user", message: "Add 2 and 3" }),
      {
        stepId: 3,
        timestamp: "2026-07-14T16:18:41Z",
        source: "agent",
        message: "",
        reasoning: "hm",
        modelName: "m-2026",
        toolCalls: [{ id: "k1", name: "add", arguments: { a: 2, b: 3 } }],
        observations: [{ callId: "k1", content: "5" }],
        usage: { promptTokens: 10, completionTokens: 4, cachedTokens: null, costUsd: null },
        isCopiedContext: false,
      },
      expect.objectContaining({ stepId: 4, source: "agent", message: "5", toolCalls: [] }),
    ]);
    expect(view.gaps).toStrictEqual([
      expect.objectContaining({ field: "usage.costUsd", reason: "not_in_format" }),
    ]);
  });

  it("reads what OpenInference writes", () => {
    const view = read([
      {
        id: "llm",
        at: 1,
        attributes: {
          "openinference.span.kind": "LLM",
          "llm.model_name": "m",
          "llm.token_count.prompt": 7,
          "llm.token_count.completion": 2,
          "llm.input_messages.0.message.role": "user",
          "llm.input_messages.0.message.content": "go",
          "llm.output_messages.0.message.role": "assistant",
          "llm.output_messages.0.message.contents.0.message_content.text": "I look.",
          "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "search",
          "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"q":"x"}',
        },
      },
      {
        id: "tool",
        at: 2,
        attributes: {
          "openinference.span.kind": "TOOL",
          "tool.name": "search",
          "output.value": "found",
        },
      },
    ]);

    expect(view.steps).toHaveLength(2);
    expect(view.steps[1]).toMatchObject({
      message: "I look.",
      modelName: "m",
      toolCalls: [{ id: null, name: "search", arguments: { q: "x" } }],
      observations: [{ callId: null, content: "found" }],
      usage: { promptTokens: 7, completionTokens: 2 },
    });
  });

  it("counts a call once, whether a model asked for it, a tool ran, or both", () => {
    const asks = (at: number, ...calls: ReturnType<typeof called>[]) => ({
      id: `m${at}`,
      at,
      attributes: chat({ "gen_ai.output.messages": calls }),
    });
    const view = read([
      asks(1, called("a", {}, "1"), called("a", {}, "2"), called("b", {}), called("b", {})),
      {
        id: "t2",
        at: 2,
        attributes: tool("a", { "gen_ai.tool.call.id": "2", "gen_ai.tool.call.result": "second" }),
      },
      { id: "t3", at: 3, attributes: tool("b", { "gen_ai.tool.call.arguments": '{"late":1}' }) },
      { id: "t4", at: 4, attributes: tool("c", { "gen_ai.tool.call.arguments": '{"own":1}' }) },
      { id: "t5", at: 5, trace: "t2", attributes: tool("a", { "gen_ai.tool.call.id": "1" }) },
    ]);

    expect(view.toolCalls.map(({ name, id, arguments: given }) => [name, id, given])).toStrictEqual(
      [
        ["a", "1", {}],
        ["a", "2", {}],
        ["b", null, {}],
        ["b", null, {}],
        ["c", null, { own: 1 }],
        ["a", "1", null],
      ],
    );
    expect(view.steps[0]?.observations).toStrictEqual([{ callId: "2", content: "second" }]);
  });

  it("takes the messages from the event that carries them", () => {
    const messages = { "gen_ai.output.messages": JSON.stringify([said("hello")]) };
    const view = read([
      {
        id: "m",
        attributes: chat({}),
        events: [{ name: "gen_ai.client.inference.operation.details", attributes: messages }],
      },
    ]);

    expect(view.finalMessage).toBe("hello");
  });

  it.each<[string, SpanDraft[], string | null]>([
    [
      "the root's value before anything else",
      [
        { id: "r", end: 1, attributes: { "output.value": "of the root" } },
        { id: "c", parent: "r", end: 9, attributes: { "output.value": "later" } },
      ],
      "of the root",
    ],
    [
      "the root's messages before its result",
      [
        {
          id: "r",
          attributes: { final_result: "result", "gen_ai.output.messages": [said("a"), said("b")] },
        },
      ],
      "ab",
    ],
    ["the root's result", [{ id: "r", attributes: { final_result: "result" } }], "result"],
    [
      "that of the span that ended last, where the root is silent",
      [
        { id: "r" },
        { id: "a", parent: "r", end: 2, attributes: { "output.value": "early" } },
        { id: "b", parent: "r", end: 5, attributes: { "output.value": "late" } },
      ],
      "late",
    ],
    [
      "never what a tool gave",
      [
        { id: "r" },
        { id: "t", parent: "r", end: 5, attributes: tool("x", { "output.value": "page" }) },
      ],
      null,
    ],
    ["nothing, where all is blank", [{ id: "r", attributes: { "output.value": " " } }], null],
  ])("says last %s", (_case, spans, answer) => {
    expect(read(spans).finalMessage).toBe(answer);
  });

  it("says what it lacks and what it cannot use", () => {
    const view = read([
      { id: "t", attributes: tool("x", { "gen_ai.tool.call.arguments": "rm -rf" }) },
    ]);

    expect(view.toolCalls).toStrictEqual([{ id: null, name: "x", arguments: null }]);
    expect(view.gaps.map(({ field, reason }) => `${field}: ${reason}`)).toStrictEqual([
      "usage.costUsd: not_in_format",
      "toolCalls.arguments: not_usable",
      "usage.promptTokens: not_recorded",
      "usage.completionTokens: not_recorded",
      "usage.cachedTokens: not_recorded",
    ]);
    expect(read([{ id: "x" }]).gaps).toContainEqual({
      field: "steps",
      reason: "not_recorded",
      detail: "no span is one of a model or of a tool",
    });
  });

  it("survives spans that are their own ancestors, and attributes that are none", () => {
    const view = readTrajectory(
      [
        {
          scopeSpans: [
            {
              spans: [
                {
                  spanId: "a",
                  parentSpanId: "b",
                  attributes: [{ key: "gen_ai.usage.input_tokens", value: { intValue: 3 } }],
                },
                {
                  spanId: "b",
                  parentSpanId: "a",
                  attributes: [{ key: "gen_ai.usage.input_tokens", value: { intValue: 4 } }],
                },
                {
                  spanId: "c",
                  parentSpanId: "c",
                  startTimeUnixNano: "never",
                  attributes: [{ key: "x", value: 5 }, { key: "y" }],
                },
              ],
            },
          ],
        },
      ],
      { format: "otlp", source: "spans" },
    );

    expect(view.steps).toStrictEqual([]);
    expect(view.usage.promptTokens).toBeNull();
  });

  it("gives every string in the attributes of spans and events", () => {
    const view = read([
      {
        id: "a",
        attributes: { one: "1", list: ["2", { k: "3" }], n: 4 },
        events: [{ name: "e", attributes: { x: "5" } }],
      },
    ]);

    expect([...view.texts()]).toStrictEqual(["1", "2", "k", "3", "5"]);
  });
});
