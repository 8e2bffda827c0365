import { describe, expect, it } from "vitest";

import { runTrials } from "../../../../../test/support/run-trials.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { ErrorCode } from "../../errors/codes.ts";
import type { RunOne } from "./attempt.ts";
import { defineRunner } from "./define-runner.ts";
import { TrialFailure } from "./draft.ts";

const task = { id: "t", inputs: { instruction: "Add 2 and 3" } };

type Run = RunOne<unknown>;

function runnerOf(run: Run) {
  return defineRunner({
    name: "probe_runner",
    description: "For tests.",
    needs: [],
    options: {},
    timeLimitS: () => null,
    trialIdSuffix: () => "p",
    run,
  })({});
}

async function trialOf(run: Run) {
  const [trial] = await runTrials(runnerOf(run), [task], { limits: { attemptsPerTrial: 1 } });
  if (trial === undefined) throw new Error("there is no trial");
  return trial;
}

const output = { outputText: "5", response: null, metadata: {} };

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
      id: "t:p",
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

describe("a trial is failed when it could not be produced", () => {
  const raise =
    (thrown: unknown): Run =>
    async () => {
      throw thrown;
    };
  const assay = (code: ErrorCode) => new AssayError(code, "what happened");
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error("no");
      },
    },
  );
  const misnamed = Object.assign(new Error("m"), { message: 5, stack: {} });

  it.each<[string, unknown, string, string]>([
    [
      "an error",
      new TypeError("x is not a function"),
      "RunnerError infrastructure",
      "TypeError: x is not a function",
    ],
    ["an error without a message", new RangeError(""), "RunnerError infrastructure", "RangeError"],
    ["an error whose message is no text", misnamed, "RunnerError infrastructure", "Error: 5"],
    ["a text", "no luck", "RunnerError infrastructure", "thrown value: no luck"],
    ["nothing", undefined, "RunnerError infrastructure", "thrown value: undefined"],
    ["an object", { code: 5 }, "RunnerError infrastructure", "thrown value: { code: 5 }"],
    [
      "an object without a prototype",
      Object.create(null),
      "RunnerError infrastructure",
      "thrown value: [Object: null prototype] {}",
    ],
    ["what cannot be looked at", hostile, "RunnerError infrastructure", "thrown value: {}"],
    [
      "a trial failure",
      new TrialFailure("MissingInstruction", "no instruction"),
      "MissingInstruction user",
      "no instruction",
    ],
    ["a bad seed", assay("ASSAY_SEED_INVALID"), "WorkspaceSeedError user", "what happened"],
    [
      "an escaping path",
      assay("ASSAY_PATH_ESCAPES"),
      "UnsafeFolder infrastructure",
      "what happened",
    ],
    [
      "a missing secret",
      assay("ASSAY_SECRET_MISSING"),
      "MissingCredential environment",
      "what happened",
    ],
    [
      "a process that did not start",
      assay("ASSAY_PROCESS_SPAWN_FAILED"),
      "ProcessSpawnError infrastructure",
      "what happened",
    ],
    [
      "a broken connection",
      assay("ASSAY_CONNECTION_FAILED"),
      "ConnectionError infrastructure",
      "what happened",
    ],
    [
      "a refusal of too many requests",
      assay("ASSAY_RATE_LIMITED"),
      "RateLimited infrastructure",
      "what happened",
    ],
    ["a full disk", assay("ASSAY_STORE_FAILED"), "RunnerError infrastructure", "what happened"],
    [
      "a tool that is gone",
      assay("ASSAY_TOOL_NOT_FOUND"),
      "RunnerError environment",
      "what happened",
    ],
    ["a broken rule", assay("ASSAY_INVARIANT"), "RunnerError infrastructure", "what happened"],
  ])("%s is thrown", async (_what, thrown, blame, message) => {
    const [type, fault] = blame.split(" ");
    const trial = await trialOf(raise(thrown));

    expect(trial).toMatchObject({
      status: "failed",
      output: null,
      error: { type, message },
      metadata: { agent_ok: false },
    });
    expect(trial.attempts).toMatchObject([{ fault, errorType: type }]);
  });

  it.each<[string, unknown, RegExp]>([
    ["nothing", undefined, /expected object, received undefined/],
    ["a text", "5", /expected object, received string/],
    [
      "an output that is a number",
      { output: 5 },
      /output: Invalid input: expected object, received number/,
    ],
    ["no output key", { metadata: {} }, /output/],
    ["an unknown key", { output: "5", score: 1 }, /unknown key "score"/],
    [
      "a key in the spelling of the wire",
      { output: { output_text: "5" } },
      /unknown key "output.output_text" \(did you mean "outputText"\?\)/,
    ],
    ["an instance", new Map(), /output: /],
    [
      "an error of an unknown type",
      { output: null, error: { type: "Oops", message: "" } },
      /error.type/,
    ],
    [
      "evidence without ref and data",
      { output: "5", evidence: { a: { kind: "x" } } },
      /evidence.a: an evidence descriptor needs `ref` or `data`/,
    ],
    [
      "metadata that is no JSON",
      { output: "5", metadata: { f: () => 1 } },
      /metadata: expected JSON data, but f is a function/,
    ],
    [
      "negative tokens",
      { output: "5", measurements: { promptTokens: -1 } },
      /measurements.promptTokens/,
    ],
    [
      "a response that holds undefined",
      { output: { response: { a: undefined } } },
      /response.*a is undefined/,
    ],
  ])("%s is returned", async (_what, returned, message) => {
    const trial = await trialOf(async () => returned as never);

    expect(trial).toMatchObject({
      status: "failed",
      output: null,
      error: { type: "InvalidReturn" },
    });
    expect(trial.error?.message).toMatch(message);
  });

  it("with the metadata that the failure carries", async () => {
    const { metadata } = await trialOf(
      raise(new TrialFailure("MissingReward", "m", { metadata: { reward_key: "r" } })),
    );

    expect(metadata).toStrictEqual({ reward_key: "r", agent_ok: false });
  });

  it("and the others are produced all the same", async () => {
    const runner = runnerOf(async ({ id }) => {
      if (id === "b") throw new Error("only this one");
      return { output: id };
    });

    const trials = await runTrials(
      runner,
      ["a", "b", "c"].map((id) => ({ ...task, id })),
    );

    expect(trials.map(({ id, status }) => `${id} ${status}`).sort()).toStrictEqual([
      "a:p completed",
      "b:p failed",
      "c:p completed",
    ]);
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

  it("evidence that is wrong is refused where it is added", async () => {
    const { error } = await trialOf(async (_task, context) => {
      context.evidence.add("log", { kind: "logs", path: "/x" } as never);
      return { output: "5" };
    });

    expect(error?.message).toMatch(/evidence "log": unknown key "path"/);
  });
});
