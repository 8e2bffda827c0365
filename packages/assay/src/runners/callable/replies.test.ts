import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { runTrials } from "../../../../../test/support/run-trials.ts";
import type { InstructionInputs } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { type CallableAgent, callable } from "./index.ts";

const task = {
  id: "t1",
  intent: "answers 5",
  inputs: { instruction: "Add 2 and 3" },
  reference: { answer: "5" },
};
const shapes =
  "the agent function must return a string, an output { outputText?, response?, metadata? }, or a draft { output, evidence?, metadata?, measurements?, models? }, but ";

type Agent = CallableAgent<InstructionInputs>;

async function trialOf(agent: (...given: Parameters<Agent>) => unknown) {
  const runner = callable({ name: "my-agent", agent: agent as Agent });
  const [trial] = await runTrials(runner, [task], { secrets: { API_KEY: "quiet-otter" } });
  if (trial === undefined) throw new Error("there is no trial");
  return trial;
}

describe("what an agent function may return", () => {
  it.each<[string, unknown, object]>([
    ["a text", "5", { output: { outputText: "5", response: null, metadata: {} } }],
    [
      "an output",
      { outputText: "5", response: { answer: 5 } },
      { output: { outputText: "5", response: { answer: 5 }, metadata: {} } },
    ],
    [
      "a response alone",
      { response: [5] },
      { output: { outputText: null, response: [5], metadata: {} } },
    ],
    [
      "a draft of a text",
      { output: "5", metadata: { level: 1 } },
      { output: { outputText: "5" }, metadata: { level: 1, agent_ok: true } },
    ],
    [
      "a draft of an output",
      { output: { response: 0 }, measurements: { promptTokens: 7 } },
      { output: { response: 0 }, measurements: { promptTokens: 7 } },
    ],
    [
      "a draft with evidence",
      { output: "5", evidence: { log: { kind: "logs", ref: "s3://b/log" } } },
      { evidence: { descriptors: { log: { kind: "logs", ref: "s3://b/log" } } } },
    ],
  ])("%s", async (_what, reply, expected) => {
    expect(await trialOf(async () => reply)).toMatchObject({
      id: "t1:trial",
      status: "completed",
      error: null,
      ...expected,
    });
    expect(await trialOf(() => reply)).toMatchObject({ status: "completed", ...expected });
  });

  it.each<[string, unknown, string]>([
    ["a number", 123, `${shapes}it returned a number`],
    ["nothing", undefined, `${shapes}it returned undefined`],
    ["null", null, `${shapes}it returned null`],
    ["a list", ["5"], `${shapes}it returned an array`],
    ["a promise's result of a class", new Date(0), `${shapes}it returned an instance of Date`],
    [
      "a draft with a key of its own",
      { output: "5", score: 1 },
      `${shapes}its draft has an unknown key "score"`,
    ],
    [
      "a draft with an error, which is not the agent's to give",
      { output: "5", error: {} },
      `${shapes}its draft has an unknown key "error"`,
    ],
    [
      "the spelling of stored rows",
      { output_text: "5" },
      'draft of the trial: unknown key "output.output_text" (did you mean "outputText"?)',
    ],
    [
      "an output whose text is a number",
      { outputText: 5 },
      "draft of the trial: output.outputText: Invalid input: expected string, received number",
    ],
  ])("fails the trial when it is %s", async (_what, reply, message) => {
    expect(await trialOf(async () => reply)).toMatchObject({
      status: "failed",
      output: null,
      error: { type: "InvalidReturn", message },
    });
  });

  it("is partial when it is blank", async () => {
    expect(await trialOf(async () => "  ")).toMatchObject({
      status: "partial",
      error: { type: "BlankReply" },
    });
  });
});

describe("an agent function that throws", () => {
  class RateError extends Error {}

  it.each<[unknown, string]>([
    [new RateError("nope"), "RateError: nope"],
    [new TypeError(""), "TypeError"],
    ["nope", "thrown value: nope"],
    [undefined, "thrown value: undefined"],
    [new AssayError("ASSAY_CONFIG_INVALID", "nope"), "AssayError: nope"],
  ])(
    "%s gives a partial trial that is scored, with what it did so far",
    async (thrown, message) => {
      const trial = await trialOf(async (_task, { usage, step }) => {
        usage.add({ promptTokens: 7 });
        step({ message: "before" });
        throw thrown;
      });

      expect(trial).toMatchObject({
        status: "partial",
        output: null,
        error: { type: "AgentError", message },
        metadata: { agent_ok: false },
        measurements: { promptTokens: 7 },
        evidence: { descriptors: { trace: { format: "atif" } } },
      });
    },
  );

  it.each([401, 403])(
    "with the status %d, as clients of endpoints throw it, met what is no doing of its own",
    async (status) => {
      const trial = await trialOf(async () => {
        throw Object.assign(new RateError("no entry"), { status });
      });

      expect(trial).toMatchObject({
        status: "failed",
        error: {
          type: "MissingCredential",
          message: `the agent was refused with status ${status}: RateError: no entry`,
        },
        attempts: [{ errorType: "MissingCredential", fault: "environment" }],
      });
    },
  );

  it("is charged for it, also when what it threw refuses to be looked at", async () => {
    const trial = await trialOf(async () => {
      throw revoked();
    });

    const message = "thrown value: a value that cannot be shown";
    expect(trial).toMatchObject({ status: "partial", error: { type: "AgentError", message } });
  });

  it("keeps where it was thrown", async () => {
    const { error } = await trialOf(() => {
      throw new Error("here");
    });

    expect(error?.traceback).toMatch(/^Error: here\n\s+at .*replies\.test\.ts/);
  });

  it("may say that the infrastructure is at fault, and gets another attempt", async () => {
    const trial = await trialOf(async (_task, { attemptIndex }) => {
      if (attemptIndex === 0) throw new AssayError("ASSAY_RATE_LIMITED", "429");
      return "5";
    });

    expect(trial).toMatchObject({
      status: "completed",
      attempts: [{ errorType: "RateLimited" }, { errorType: null }],
    });
  });
});

describe("what an agent function is given", () => {
  it("is the id and the inputs, and nothing that is for graders or runners", async () => {
    const { output } = await trialOf(async (given) => JSON.stringify(given));

    expect(JSON.parse(output?.outputText ?? "")).toStrictEqual({
      id: "t1",
      inputs: { instruction: "Add 2 and 3" },
    });
  });

  it("are the declared secrets, by name", async () => {
    const { output } = await trialOf(async (_task, { secrets }) => secrets["API_KEY"]);

    expect(output?.outputText).toBe("quiet-otter");
  });
});

describe("what an agent function left running in its workspace", () => {
  it.skipIf(process.platform !== "linux")("is ended with its attempt", async () => {
    const pids: number[] = [];
    const trial = await trialOf(async (_task, { workspace }) => {
      const options = { cwd: workspace, env: {}, detached: true, stdio: "ignore" } as const;
      const child = spawn("/bin/sh", ["-c", "while :; do /bin/sleep 1; done"], options);
      await once(child, "spawn");
      child.unref();
      pids.push(child.pid ?? 0);
      return "5";
    });

    expect(trial.status).toBe("completed");
    expect(pids).toHaveLength(1);
    const stat = (pid: number) =>
      existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "latin1") : "gone";
    expect(pids.map(stat).filter((text) => !/gone|\) [ZX] /.test(text))).toEqual([]);
  });
});

describe("the record of a callable", () => {
  it("names the agent by suite and name, not by its text or place", () => {
    const record = () =>
      callable({ name: "my-agent", agent: () => "5", parallelism: 2 })
        .configure?.({ suiteName: "checkout", baseDir: "/x", overrides: [] })
        ?.runnerInfo();

    expect(record()).toStrictEqual({
      name: "callable",
      kind: "runner",
      version: null,
      config: {
        agent_fn: "checkout#my-agent",
        inherit_env: [],
        isolation: "none",
        memory_limit_mb: null,
        parallelism: 2,
        timeout_s: null,
        trial_id_suffix: "trial",
      },
    });
    expect(JSON.stringify(record())).toBe(JSON.stringify(record()));
  });

  it("is refused for an agent without a name", () => {
    expect(() => callable({ agent: () => "5" } as never)).toThrow(
      expect.objectContaining({
        code: "ASSAY_CONFIG_INVALID",
        message: "callable has no `name`: a function without a name cannot be recorded",
      }),
    );
  });

  it("holds the suffix of its trial ids", async () => {
    const runner = callable({ name: "a", agent: () => "5", trialIdSuffix: "again" });

    const trials = await runTrials(runner, [task], { trialIndexes: [0, 3] });

    expect(trials.map(({ id }) => id).sort()).toStrictEqual(["t1:again", "t1:again:3"]);
    expect(runner.runnerInfo().config["trial_id_suffix"]).toBe("again");
  });
});

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}
