import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  EventReader,
  type StreamFacts,
} from "../../../packages/assay/src/runners/codex/event-reader.ts";
import type { StepDraft } from "../../../packages/assay/src/runners/define/trajectory.ts";
import type { UsageDraft } from "../../../packages/assay/src/runners/define/usage.ts";
import { cutMark } from "../../../packages/assay/src/support/cut-text.ts";
import { repoRoot, sharedFixtures } from "../../support/tools.ts";

const recordings = join(repoRoot, "packages/assay/src/runners/codex/fixtures/recordings");
const unknownModel = /^Model metadata for `[\w-]+` not found\./;

interface Reading {
  readonly facts: StreamFacts;
  readonly steps: readonly StepDraft[];
  readonly usage: readonly UsageDraft[];
}

const unchanged = (text: string) => text;

function read(lines: readonly string[], redact = unchanged): Reading {
  const steps: StepDraft[] = [];
  const usage: UsageDraft[] = [];
  const reader = new EventReader({
    step: (step) => steps.push(step),
    addUsage: (draft) => usage.push(draft),
    redact,
  });
  for (const line of lines) reader.readLine(line);
  return { facts: reader.end(), steps, usage };
}

function readFile(path: string): Reading {
  return read(readFileSync(path, "utf8").split("\n"));
}

function readEvents(...events: readonly object[]): Reading {
  return read(events.map((event) => JSON.stringify(event)));
}

/** A step in few words: the tool that was called, or what was said. */
function describeStep({ toolCalls, message, reasoning }: StepDraft): string {
  return toolCalls?.[0]?.name ?? message ?? `thought: ${reasoning ?? ""}`;
}

const usageOf = (
  promptTokens: number,
  cacheReadTokens: number,
  completionTokens: number,
): UsageDraft => ({ promptTokens, cacheReadTokens, completionTokens, cacheCreationTokens: 0 });

interface Expected {
  readonly lastMessage?: string;
  readonly failure?: string | RegExp;
  readonly steps?: readonly string[];
  readonly usage?: UsageDraft;
  readonly reasoningTokens?: number;
  readonly commands?: number;
  /** Beyond the one about the made-up model's metadata. */
  readonly warnings?: readonly RegExp[];
  readonly knowsModel?: true;
}

const expectations: Readonly<Record<string, Expected>> = {
  "success-solve": {
    lastMessage:
      "`slugify` now folds accents, joins words by single dashes and falls back to `untitled`.",
    steps: [
      "shell",
      "shell",
      "apply_patch",
      "shell",
      "`slugify` now folds accents, joins words by single dashes and falls back to `untitled`.",
    ],
    usage: usageOf(33138, 25728, 303),
    reasoningTokens: 120,
    commands: 3,
  },
  "success-wrong-solution": {
    lastMessage:
      "The parts are rounded down and the last person pays the rest, so the sum is exact.",
    steps: [
      "shell",
      "shell",
      "apply_patch",
      "shell",
      "The parts are rounded down and the last person pays the rest, so the sum is exact.",
    ],
    usage: usageOf(33370, 25856, 419),
    reasoningTokens: 120,
    commands: 3,
  },
  "success-command-failed": {
    lastMessage: "The command failed, but I am done.",
    steps: ["shell", "The command failed, but I am done."],
    usage: usageOf(12586, 6144, 63),
    reasoningTokens: 48,
    commands: 1,
  },
  "success-blank-message": {
    lastMessage: "",
    steps: [""],
    usage: usageOf(6200, 0, 24),
    reasoningTokens: 24,
  },
  "success-control-characters": {
    lastMessage: "Done \u001b[1mbold\u001b[0m.",
    steps: ["shell", "Done \u001b[1mbold\u001b[0m."],
    usage: usageOf(12591, 6144, 64),
    reasoningTokens: 48,
    commands: 1,
  },
  "success-known-model": {
    lastMessage: "The command failed, but I am done.",
    steps: ["shell", "The command failed, but I am done."],
    usage: usageOf(12586, 6144, 63),
    reasoningTokens: 48,
    commands: 1,
    knowsModel: true,
  },
  "success-reconnect-429": {
    lastMessage: "Done.",
    steps: ["Done."],
    usage: usageOf(6200, 0, 26),
    reasoningTokens: 24,
    warnings: [/^Reconnecting\.\.\. 1\/2 .*429 Too Many Requests/],
  },
  "success-reconnect-stream-cut": {
    lastMessage: "Done.",
    steps: ["shell", "Done."],
    usage: usageOf(12585, 6144, 55),
    reasoningTokens: 48,
    commands: 1,
    warnings: [/^Reconnecting\.\.\. 1\/2 \(stream disconnected/],
  },
  "failed-http-400": {
    failure: `{"error":{"type":"invalid_request_error","message":"Invalid value for 'input'."}}`,
    warnings: [/Invalid value/],
  },
  "failed-http-401": {
    failure: /^unexpected status 401 Unauthorized: the API key is not the one/,
    warnings: [/^unexpected status 401/],
  },
  "failed-http-429": {
    failure: "exceeded retry limit, last status: 429 Too Many Requests",
    warnings: [/^exceeded retry limit/],
  },
  "failed-http-503": {
    failure: /^unexpected status 503 Service Unavailable: /,
    warnings: [/^unexpected status 503/],
  },
  "failed-stream-cut": {
    failure: /^stream disconnected before completion: Transport error/,
    steps: ["shell"],
    commands: 1,
    warnings: [/^stream disconnected/],
  },
  "failed-connection-refused": {
    failure: "Connection failed: error sending request",
    warnings: [/^Connection failed/],
  },
  "failed-missing-key": {
    failure: "Missing environment variable: `MOCK_KEY`.",
    warnings: [/^Missing environment variable/],
  },
  "failed-codex-home-missing": { knowsModel: true },
  "failed-prompt-too-long": { knowsModel: true },
  "timeout-no-answer": {},
  "timeout-partial-work": {
    steps: ["shell", "shell", "apply_patch", "shell"],
    commands: 3,
  },
  "waiting-for-network": {
    warnings: [/^Reconnecting\.\.\. waiting for network/, /^Reconnecting\.\.\. waiting/],
  },
};

describe("the event stream of Codex, as recorded", () => {
  it("is expected for every recording that is kept", () => {
    const cases = readdirSync(recordings).filter((name) => name.endsWith(".jsonl"));

    expect(cases.map((name) => name.replace(".jsonl", "")).sort()).toEqual(
      Object.keys(expectations).sort(),
    );
  });

  it.each(Object.entries(expectations))("is read: %s", (name, expected) => {
    const { facts, steps, usage } = readFile(join(recordings, `${name}.jsonl`));
    const warnings = [...(expected.knowsModel ? [] : [unknownModel]), ...(expected.warnings ?? [])];

    expect(facts.lastMessage).toBe(expected.lastMessage ?? null);
    if (expected.failure instanceof RegExp) expect(facts.failure).toMatch(expected.failure);
    else expect(facts.failure).toBe(expected.failure ?? null);
    expect(steps.map(describeStep)).toEqual(expected.steps ?? []);
    expect(usage).toEqual(expected.usage === undefined ? [] : [expected.usage]);
    expect(facts.reasoningTokens).toBe(expected.reasoningTokens ?? null);
    expect(facts.turnCount).toBe(expected.usage === undefined ? 0 : 1);
    expect(facts.commandCount).toBe(expected.commands ?? 0);
    expect(facts.malformedLineCount).toBe(0);
    expect(facts.warnings).toHaveLength(warnings.length);
    for (const [index, pattern] of warnings.entries())
      expect(facts.warnings[index]).toMatch(pattern);
  });

  it("gives commands as tool calls with what they printed", () => {
    const { steps } = readFile(join(recordings, "success-command-failed.jsonl"));

    expect(steps[0]).toEqual({
      toolCalls: [{ id: "item_1", name: "shell", arguments: { command: expect.any(String) } }],
      observations: [
        {
          callId: "item_1",
          content: expect.any(String),
          extra: { exit_code: 3, status: "failed" },
        },
      ],
    });
  });

  it("gives edits as tool calls with the paths", () => {
    const { steps } = readFile(join(recordings, "success-solve.jsonl"));

    expect(steps[2]).toEqual({
      toolCalls: [
        {
          id: "item_3",
          name: "apply_patch",
          arguments: { changes: [{ path: "/trial/ws/slugify.mjs", kind: "update" }] },
        },
      ],
      observations: [{ callId: "item_3", content: "", extra: { status: "completed" } }],
    });
  });
});

describe("the event stream of Codex, as recorded elsewhere", () => {
  it("is read: a success with a command", () => {
    const { facts, steps, usage } = readFile(
      sharedFixtures("codex/exec-success-with-command.jsonl"),
    );

    expect(facts).toEqual({
      threadId: "01a23363-4edf-79a1-9958-9c4db1b314bf",
      lastMessage: "all done",
      failure: null,
      warnings: [expect.stringMatching(unknownModel)],
      turnCount: 1,
      commandCount: 1,
      reasoningTokens: 4,
      malformedLineCount: 0,
    });
    expect(usage).toEqual([usageOf(203, 20, 14)]);
    expect(steps.map(describeStep)).toEqual(["shell", "all done"]);
    expect(steps[0]?.observations).toEqual([
      { callId: "item_1", content: "hi\n", extra: { exit_code: 0, status: "completed" } },
    ]);
  });

  it.each([
    ["exec-missing-credential", "Missing environment variable: `MOCK_KEY`."],
    [
      "exec-turn-failed-http-400",
      '{"error":{"message":"bad thing","type":"invalid_request_error"}}',
    ],
  ])("is read: %s", (name, failure) => {
    const { facts, usage } = readFile(sharedFixtures(`codex/${name}.jsonl`));

    expect(facts.failure).toBe(failure);
    expect(facts.lastMessage).toBeNull();
    expect(usage).toEqual([]);
  });
});

describe("the event stream of Codex", () => {
  it("sums nothing that it was not told, and counts each turn", () => {
    const { facts, usage } = readEvents(
      { type: "turn.completed" },
      { type: "turn.completed", usage: { input_tokens: 5, output_tokens: 1 } },
      { type: "turn.completed", usage: { reasoning_output_tokens: 2 } },
      { type: "turn.completed", usage: { reasoning_output_tokens: 3 } },
    );

    expect(facts.turnCount).toBe(4);
    expect(facts.reasoningTokens).toBe(5);
    expect(usage[0]).toEqual({
      promptTokens: 5,
      completionTokens: 1,
      cacheReadTokens: null,
      cacheCreationTokens: null,
    });
  });

  it("counts the usage of a turn that failed where it is told", () => {
    const { facts, usage } = readEvents({
      type: "turn.failed",
      error: { message: "no" },
      usage: { input_tokens: 5 },
    });

    expect(facts.failure).toBe("no");
    expect(usage[0]?.promptTokens).toBe(5);
  });

  it("has failed only when its last turn has", () => {
    const failed = { type: "turn.failed", error: { message: "no" } };
    const done = { type: "turn.completed" };

    expect(readEvents(failed, done).facts.failure).toBeNull();
    expect(readEvents(done, failed).facts.failure).toBe("no");
    expect(readEvents({ type: "turn.failed" }).facts.failure).toBe("the turn failed");
    expect(readEvents({ type: "error", message: "no" }, done).facts.failure).toBeNull();
  });

  it("tells what was still going on when it ended, in its last known state", () => {
    const command = { id: "a", type: "command_execution", command: "sleep 9" };
    const { facts, steps } = readEvents(
      { type: "item.started", item: { ...command, aggregated_output: "" } },
      {
        type: "item.updated",
        item: { ...command, aggregated_output: "tick", status: "in_progress" },
      },
      { type: "item.started", item: { id: "b", type: "command_execution", command: "true" } },
      { type: "item.completed", item: { id: "b", type: "command_execution", command: "true" } },
    );

    expect(facts.commandCount).toBe(2);
    expect(steps.map((step) => step.toolCalls?.[0]?.arguments?.["command"])).toEqual([
      "true",
      "sleep 9",
    ]);
    expect(steps[1]?.observations).toEqual([
      { callId: "a", content: "tick", extra: { exit_code: null, status: "in_progress" } },
    ]);
  });

  it.each<[string, object, StepDraft]>([
    ["reasoning", { type: "reasoning", text: "hm" }, { reasoning: "hm" }],
    [
      "a call of an MCP tool",
      {
        id: "1",
        type: "mcp_tool_call",
        server: "docs",
        tool: "find",
        arguments: { q: 1 },
        result: "r",
        status: "completed",
      },
      {
        toolCalls: [{ id: "1", name: "docs__find", arguments: { q: 1 } }],
        observations: [{ callId: "1", content: '"r"', extra: { status: "completed" } }],
      },
    ],
    [
      "a call of an MCP tool that answers in texts",
      {
        type: "mcp_tool_call",
        server: "docs",
        tool: "find",
        arguments: "as text",
        result: {
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      },
      {
        toolCalls: [{ name: "docs__find", arguments: { input: '"as text"' } }],
        observations: [{ content: "a\nb", extra: { status: null } }],
      },
    ],
    [
      "a web search",
      { type: "web_search", query: "node" },
      {
        toolCalls: [{ name: "web_search", arguments: { query: "node" } }],
        observations: [{ content: "", extra: { status: null } }],
      },
    ],
    [
      "an item of a kind that is not known",
      { type: "todo_list", items: [{ text: "a" }] },
      { message: '{"type":"todo_list","items":[{"text":"a"}]}' },
    ],
  ])("gives %s as a step", (_case, item, step) => {
    expect(readEvents({ type: "item.completed", item }).steps).toEqual([step]);
  });

  it("cuts what a command printed, and says how long it was", () => {
    const item = { type: "command_execution", aggregated_output: "x".repeat(70_000) };
    const [step] = readEvents({ type: "item.completed", item }).steps;

    expect(step?.observations?.[0]?.content).toBe(`${"x".repeat(65_536)}… (70000 characters)`);
  });

  it("keeps the first warnings, each in bounds", () => {
    const long = { type: "error", message: "w".repeat(5000) };
    const { facts } = readEvents(...Array.from({ length: 50 }, () => long));

    expect(facts.warnings).toHaveLength(20);
    expect(facts.warnings[0]).toBe(`${"w".repeat(1000)}${cutMark}`);
  });

  it("counts lines that are no events, and reads on", () => {
    const { facts } = read([
      "",
      "  ",
      "plain text",
      '{"type":',
      "[1]",
      "null",
      '{"no":"type"}',
      '{"type":7}',
      '{"type":"item.completed","item":{"type":"agent_message","text":"done"}}',
    ]);

    expect(facts.malformedLineCount).toBe(6);
    expect(facts.lastMessage).toBe("done");
  });

  it("does not lose an event for one field of a strange shape", () => {
    const { facts, usage, steps } = readEvents(
      { type: "turn.completed", usage: { input_tokens: "many", output_tokens: 3 } },
      { type: "item.completed", item: { id: 7, type: "agent_message", text: "done" } },
      { type: "item.completed", item: { type: "file_change", changes: "none" } },
      { type: "item.completed", item: "no item" },
      { type: "turn.failed", error: "no object" },
    );

    expect(usage[0]?.completionTokens).toBe(3);
    expect(facts.lastMessage).toBe("done");
    expect(steps).toHaveLength(2);
    expect(facts.failure).toBe("the turn failed");
    expect(facts.malformedLineCount).toBe(0);
  });

  it.each([
    ["an output", 64 * 1024, { type: "command_execution" }, "aggregated_output"],
    ["a result", 64 * 1024, { type: "mcp_tool_call" }, "result"],
    ["arguments", 64 * 1024, { type: "mcp_tool_call" }, "arguments"],
    ["an unknown item", 64 * 1024 - 20, { type: "other" }, "text"],
    ["a warning", 1000, { type: "error" }, "message"],
  ])("redacts %s before it is cut", (_what, limit, item, field) => {
    const secret = "Kx9vLq2TzR7wYp4MnBc8";
    const text = `${"-".repeat(limit - 10)}${secret}${"-".repeat(50)}`;
    const event = { type: "item.completed", item: { ...item, [field]: text } };

    const { facts, steps } = read([JSON.stringify(event)], (long) =>
      long.replaceAll(secret, "<redacted>"),
    );

    const stored = JSON.stringify([facts.warnings, steps]);
    expect(stored).toContain("-----");
    expect(stored).not.toContain(secret.slice(0, 4));
  });

  it("never throws, whatever the lines hold", () => {
    const type = fc.constantFrom(
      "item.started",
      "item.updated",
      "item.completed",
      "turn.completed",
      "turn.failed",
      "error",
      "thread.started",
    );
    const item = fc.record({
      id: fc.oneof(fc.string(), fc.jsonValue()),
      type: fc.constantFrom("agent_message", "command_execution", "file_change", "mcp_tool_call"),
      text: fc.jsonValue(),
      changes: fc.jsonValue(),
      arguments: fc.jsonValue(),
      aggregated_output: fc.jsonValue(),
    });
    const event = fc.record({
      type,
      item: fc.oneof(item, fc.jsonValue()),
      usage: fc.jsonValue(),
      error: fc.jsonValue(),
      message: fc.jsonValue(),
    });
    const line = fc.oneof(
      event.map((value) => JSON.stringify(value)),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line), (lines) => {
        expect(() => read(lines)).not.toThrow();
      }),
    );
  });
});
