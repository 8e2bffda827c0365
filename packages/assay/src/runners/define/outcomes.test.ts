import { describe, expect, it } from "vitest";
import { output, trialOf } from "../../../../../test/support/probe-runner.ts";
import type { Run } from "../../../../../test/support/stand-in-runner.ts";

describe("a trial is completed when the agent ended well and gave something", () => {
  it.each<[string, Run, object]>([
    ["a text", async () => ({ output: "5" }), output],
    ["a text, at once", () => ({ output: "5" }), output],
    ["an output with a text", async () => ({ output: { outputText: "5" } }), output],
    [
      "a response without a text",
      async () => ({ output: { response: { answer: 5 } } }),
      { ...output, outputText: null, response: { answer: 5 } },
    ],
    [
      "the response 0",
      async () => ({ output: { response: 0 } }),
      { ...output, outputText: null, response: 0 },
    ],
    [
      "output metadata",
      async () => ({ output: { outputText: "5", metadata: { a: [1] } } }),
      { ...output, metadata: { a: [1] } },
    ],
  ])("%s", async (_what, run, expected) => {
    const trial = await trialOf(run);

    expect(trial).toMatchObject({
      id: "t:s",
      taskId: "t",
      trialIndex: 0,
      status: "completed",
      error: null,
    });
    expect(trial.output).toStrictEqual(expected);
    expect(trial.metadata).toStrictEqual({ agent_ok: true });
    expect(trial.attempts).toMatchObject([{ cause: "ended", fault: "none", errorType: null }]);
  });
});

describe("a trial is partial when the agent ran but did not end well, and what it gave is kept", () => {
  const error = { type: "AgentExitError", message: "exit 3" } as const;

  it.each<[string, Run, string, object | null]>([
    ["an empty text", async () => ({ output: "" }), "BlankReply", { ...output, outputText: "" }],
    [
      "a blank text",
      async () => ({ output: " \n" }),
      "BlankReply",
      { ...output, outputText: " \n" },
    ],
    ["no output", async () => ({ output: null }), "BlankReply", null],
    [
      "an output without text and response",
      async () => ({ output: { metadata: { a: 1 } } }),
      "BlankReply",
      { ...output, outputText: null, metadata: { a: 1 } },
    ],
    [
      "an error with an output",
      async () => ({ output: "so far", error }),
      "AgentExitError",
      { ...output, outputText: "so far" },
    ],
    ["an error without output", async () => ({ output: null, error }), "AgentExitError", null],
  ])("%s", async (_what, run, type, expected) => {
    const trial = await trialOf(run);

    expect(trial).toMatchObject({
      status: "partial",
      error: { type },
      metadata: { agent_ok: false },
    });
    expect(trial.output).toStrictEqual(expected);
    expect(trial.attempts).toMatchObject([{ cause: "ended", fault: "target", errorType: type }]);
  });

  it("with its traceback, and the time at which it was found", async () => {
    const { error: stored } = await trialOf(async () => ({
      output: null,
      error: { ...error, traceback: "at 5" },
    }));

    expect(stored).toStrictEqual({
      ...error,
      traceback: "at 5",
      occurredAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
  });
});

describe("what belongs to a trial", () => {
  it("measurements: the sums of what was added, the time, and what the draft says instead", async () => {
    const { measurements, attempts } = await trialOf(async (_task, { usage }) => {
      usage.add({ promptTokens: 20, completionTokens: 3, costUsd: 0.25 });
      usage.add({ promptTokens: 1, completionTokens: null, cacheReadTokens: 0 });
      usage.add({
        promptTokens: -5,
        completionTokens: 1.5,
        totalTokens: Number.NaN,
        costUsd: Number.POSITIVE_INFINITY,
      });
      usage.add({ promptTokens: true as never, completionTokens: "7" as never });
      return { output: "5", measurements: { completionTokens: 9, costUsd: null } };
    });

    expect(measurements).toStrictEqual({
      promptTokens: 21,
      completionTokens: 9,
      totalTokens: null,
      cacheCreationTokens: null,
      cacheReadTokens: 0,
      costUsd: 0.25,
      runtimeSec: expect.any(Number),
    });
    expect(attempts).toMatchObject([{ promptTokens: 21, completionTokens: 9, costUsd: 0.25 }]);
  });

  it("no sum of tokens or cost that a number cannot hold", async () => {
    const { status, measurements } = await trialOf(async (_task, { usage }) => {
      usage.add({ promptTokens: Number.MAX_SAFE_INTEGER, costUsd: 1e308 });
      usage.add({ promptTokens: Number.MAX_SAFE_INTEGER, costUsd: 1e308 });
      return { output: "5" };
    });

    expect(status).toBe("completed");
    expect(measurements).toMatchObject({ promptTokens: null, costUsd: null });
  });

  it("a time that the runner measured itself", async () => {
    const { measurements } = await trialOf(async () => ({
      output: "5",
      measurements: { runtimeSec: 12.5 },
    }));

    expect(measurements.runtimeSec).toBe(12.5);
  });

  it("metadata of the draft, exactly, and whether the agent ended well", async () => {
    const metadata = JSON.parse('{"__proto__":{"a":1},"agent_ok":"mine","aB":null}') as object;
    const { metadata: stored } = await trialOf(async () => ({
      output: "5",
      metadata: metadata as never,
    }));

    expect(JSON.stringify(stored)).toBe('{"__proto__":{"a":1},"agent_ok":true,"aB":null}');
  });

  it("evidence of the context and of the draft, in order, of which the draft's wins, under any name", async () => {
    const { evidence } = await trialOf(async (_task, context) => {
      context.evidence.add("z", { kind: "a", data: 1 });
      context.evidence.add("__proto__", { kind: "b", data: 2 });
      context.evidence.add("a", { kind: "c", data: 3 });
      return {
        output: "5",
        evidence: { a: { kind: "d", data: 4 }, last: { kind: "e", ref: "s3://b/k" } },
      };
    });

    const kinds = Object.entries(evidence?.descriptors ?? {}).map(
      ([name, { kind }]) => `${name}:${kind}`,
    );
    expect(kinds).toStrictEqual(["z:a", "__proto__:b", "a:d", "last:e"]);
  });

  it("no evidence where there is none", async () => {
    expect(await trialOf(async () => ({ output: "5" }))).toMatchObject({ evidence: null });
  });

  it("the models that were asked for and served, in the ledger", async () => {
    const { attempts } = await trialOf(async () => ({
      output: "5",
      models: { requested: "m", served: "m-2026" },
    }));

    expect(attempts).toMatchObject([{ requestedModel: "m", servedModel: "m-2026" }]);
  });

  it("evidence as it was when it was added", async () => {
    const { evidence } = await trialOf(async (_task, context) => {
      const data: Record<string, unknown> = { said: "hi" };
      context.evidence.add("talk", { kind: "logs", data: data as never });
      data["said"] = "other";
      data["onDone"] = () => {};
      return { output: "5" };
    });

    expect(evidence?.descriptors["talk"]?.data).toEqual({ said: "hi" });
  });

  it("evidence that is wrong is refused where it is added", async () => {
    const { error } = await trialOf(async (_task, context) => {
      context.evidence.add("log", { kind: "logs", path: "/x" } as never);
      return { output: "5" };
    });

    expect(error?.message).toMatch(/evidence "log": unknown key "path"/);
  });
});
