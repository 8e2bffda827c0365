import { describe, expect, it } from "vitest";

import { hasNeverRun, servedModel, textOfResponse, usageOfResponse } from "./response.ts";

const says = (...texts: readonly string[]) => ({
  type: "message",
  role: "assistant",
  content: texts.map((text) => ({ type: "output_text", text })),
});

describe("the text of a response", () => {
  it.each<[string, unknown, string | null]>([
    ["one message", [says("a")], "a"],
    ["several parts and messages", [says("a", "b"), says("c")], "a\nb\nc"],
    ["other items between", [{ type: "function_call", name: "f" }, says("a")], "a"],
    ["what others said", [{ ...says("a"), role: "user" }], null],
    ["a content of text", [{ type: "message", role: "assistant", content: "a" }], "a"],
    [
      "parts that are no text",
      [{ ...says(), content: [{ type: "refusal", text: "no" }, 1] }],
      null,
    ],
    ["nothing", [], null],
    ["no list", "a", null],
  ])("of %s", (_case, output, text) => {
    expect(textOfResponse({ output })).toBe(text);
  });

  it("of no response is none", () => {
    expect(textOfResponse(null)).toBe(null);
  });
});

describe("the usage of a response", () => {
  it("is told by either name, cached tokens by their details", () => {
    const counts = { input_tokens: 20, output_tokens: 5, total_tokens: 25 };
    const usage = { ...counts, input_tokens_details: { cached_tokens: 8 } };

    expect(usageOfResponse({ usage })).toStrictEqual({
      promptTokens: 20,
      completionTokens: 5,
      totalTokens: 25,
      cacheReadTokens: 8,
      cacheCreationTokens: null,
    });
    expect(
      usageOfResponse({ usage: { ...usage, prompt_tokens: 1, completion_tokens: 2 } }),
    ).toMatchObject({ promptTokens: 1, completionTokens: 2 });
  });

  it.each([true, 1.5, "3", -1, null, undefined])("does not take %j for a count", (value) => {
    expect(usageOfResponse({ usage: { input_tokens: value } }).promptTokens).toBe(null);
  });

  it("is unknown where nothing is said", () => {
    expect([null, {}, { usage: null }].map(usageOfResponse)).toStrictEqual([{}, {}, {}]);
  });
});

// An unstated count proves nothing (runners §7.c).
describe("an agent that never ran", () => {
  it.each<[string, unknown, boolean]>([
    ["no output, no tokens", { output: [], usage: { input_tokens: 0 } }, true],
    ["no output, tokens unstated", { output: [], usage: null }, false],
    ["no output, tokens sent", { output: [], usage: { input_tokens: 3 } }, false],
    ["output", { output: [says("a")], usage: { input_tokens: 0 } }, false],
    ["no list of output", { usage: { input_tokens: 0 } }, false],
    ["no response", null, false],
  ])("shows in %s: %s", (_case, response, isTold) => {
    expect(hasNeverRun(response)).toBe(isTold);
  });
});

it("the served model is what the response names", () => {
  expect([{ model: "m" }, { model: "" }, {}, null].map(servedModel)).toStrictEqual([
    "m",
    null,
    null,
    null,
  ]);
});
