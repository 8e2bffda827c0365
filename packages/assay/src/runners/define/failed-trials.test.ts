import { describe, expect, it } from "vitest";
import { task, trialOf } from "../../../../../test/support/probe-runner.ts";
import { runTrials } from "../../../../../test/support/run-trials.ts";
import { type Run, standInRunner } from "../../../../../test/support/stand-in-runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { ErrorCode } from "../../errors/codes.ts";
import { TrialFailure } from "./draft.ts";

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
    ["a negative cost", { output: "5", measurements: { costUsd: -50 } }, /measurements.costUsd/],
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
    const runner = standInRunner(async ({ id }) => {
      if (id === "b") throw new Error("only this one");
      return { output: id };
    });

    const trials = await runTrials(
      runner,
      ["a", "b", "c"].map((id) => ({ ...task, id })),
    );

    expect(trials.map(({ id, status }) => `${id} ${status}`).sort()).toStrictEqual([
      "a:s completed",
      "b:s failed",
      "c:s completed",
    ]);
  });
});
