import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

import { nodeFileStore as files } from "../../../packages/assay/src/platform/files/node-file-store.ts";
import { trialOf } from "../../../packages/assay/src/runners/harbor/outcome.ts";
import {
  isHarborValid,
  parseResult,
} from "../../../packages/assay/src/runners/harbor/read-result.ts";
import { sharedFixtures } from "../../support/tools.ts";
import { folder, resultOf } from "./harbor-kit.ts";

interface Given {
  readonly text: string;
  readonly rewardKey?: string;
  readonly leaves?: Readonly<Record<string, string>>;
}

/** The trial that comes of a `result.json`, and of what lies beside it. */
async function adapt({ text, rewardKey = "reward", leaves = {} }: Given) {
  const directory = join(folder(), "add-two__ab12cde");
  for (const [file, content] of Object.entries({ "result.json": text, ...leaves })) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), content);
  }
  return await trialOf(
    parseResult(text, { folder: "add-two__ab12cde" }),
    { taskId: "t", trialIndex: 0, directory },
    {
      files,
      rewardKey,
      redact: (said) => said.replaceAll("quiet-otter", "<redacted>"),
      now: () => new Date(0),
      cacheHit: null,
    },
  );
}

const of = (more: Readonly<Record<string, unknown>>, rewardKey?: string) =>
  adapt({
    text: JSON.stringify(resultOf(more)),
    ...(rewardKey === undefined ? {} : { rewardKey }),
  });

const rewards = (map: unknown) => ({ verifier_result: { rewards: map } });
const thrown = (info: unknown) => ({ exception_info: info });

describe("a trial of Harbor", () => {
  it("is completed with a reward and no exception, and says what it took and used", async () => {
    const trial = await of({
      ...rewards({ reward: 1.0, style: 0.5 }),
      environment_setup: {
        started_at: "2026-01-02T03:04:05.5Z",
        finished_at: "2026-01-02T03:04:07.000250Z",
      },
      agent_execution: { started_at: "2026-01-02T03:04:10Z", finished_at: "2026-01-02T03:04:40Z" },
    });

    expect(trial).toMatchObject({
      id: "add-two__ab12cde",
      status: "completed",
      error: null,
      output: { outputText: null, response: null },
      measurements: {
        promptTokens: 120,
        completionTokens: 15,
        cacheReadTokens: 20,
        costUsd: 0.001,
        runtimeSec: 30,
      },
      metadata: {
        reward: 1,
        reward_details: { reward: 1, style: 0.5 },
        harbor_primary_reward_key: "reward",
        harbor_trial_dir: "add-two__ab12cde",
        agent: "oracle",
        agent_ok: true,
      },
      attempts: [
        {
          cause: "ended",
          fault: "none",
          startedAt: "2026-01-02T03:04:05Z",
          durationMs: 60_000,
          phasesMs: { environment_setup: 1500.25, agent_execution: 30_000 },
        },
      ],
    });
  });

  it.each<[string, Readonly<Record<string, unknown>>, number | null, string]>([
    [
      "reward 0 and a time limit",
      { ...rewards({ reward: 0 }), ...thrown({ exception_type: "AgentTimeoutError" }) },
      0,
      "AgentTimeoutError",
    ],
    [
      "reward 1 and an exception",
      thrown({ exception_type: "NonZeroAgentExitCodeError" }),
      1,
      "NonZeroAgentExitCodeError",
    ],
    ["no verifier", { verifier_result: null }, null, "MissingReward"],
    ["no rewards", rewards(null), null, "MissingReward"],
    ["rewards that are a list", rewards([1]), null, "MissingReward"],
    ["an exception that is a text", thrown("Boom"), 1, "Boom"],
    ["an exception without a type", thrown({}), 1, "UnknownException"],
    ["an exception with a blank type", thrown({ exception_type: " ", name: "Named" }), 1, "Named"],
    ["a type under `type`", thrown({ type: "T", class: "C" }), 1, "T"],
    ["a type under `class`", thrown({ class: "C" }), 1, "C"],
    [
      "a step that raised",
      { step_results: [7, { exception_info: null }, { exception_info: { exception_type: "S" } }] },
      1,
      "S",
    ],
    [
      "both raised",
      {
        ...thrown({ exception_type: "Trial" }),
        step_results: [{ exception_info: { exception_type: "S" } }],
      },
      1,
      "Trial",
    ],
  ])("with %s is partial", async (_what, more, reward, type) => {
    const trial = await of(more);

    expect(trial).toMatchObject({
      status: "partial",
      error: { type },
      metadata: { reward, agent_ok: false },
    });
    expect(trial.error?.message).not.toBe("");
  });

  it.each<[string, string, string]>([
    ["a boolean", `{"reward": true}`, "boolean"],
    ["a text", `{"reward": "1"}`, "non_numeric"],
    ["null", `{"reward": null}`, "non_numeric"],
    ["an object", `{"reward": {"value": 1}}`, "non_numeric"],
    ["NaN", `{"reward": NaN}`, "non_finite"],
    ["an infinity", `{"reward": -Infinity}`, "non_finite"],
    ["more than a number holds", `{"reward": 1e999}`, "non_finite"],
  ])("whose reward is %s has none, and says why", async (_what, given, reason) => {
    const text = JSON.stringify(resultOf({ verifier_result: { rewards: "GIVEN" } })).replace(
      '"GIVEN"',
      given,
    );

    const trial = await adapt({ text });

    expect(trial).toMatchObject({
      status: "partial",
      error: { type: "MissingReward", message: expect.stringContaining(reason) },
      metadata: { reward: null, reward_details: {}, reward_rejections: { reward: reason } },
    });
  });

  it("keeps all rewards when none has the key that counts, and those with keys that cannot be used as places", async () => {
    const trial = await of(
      rewards({ accuracy: 0.5, "a.pass@2": 1, "": 1, ["x".repeat(256)]: 1, "a\u0007": 1 }),
    );

    expect(trial.metadata).toMatchObject({
      reward: null,
      reward_details: { accuracy: 0.5 },
      reward_entry_rejections: [
        { position: 1, reason: "reserved_key" },
        { position: 2, reason: "invalid_key" },
        { position: 3, reason: "invalid_key" },
        { position: 4, reason: "invalid_key" },
      ],
    });
    expect((await of(rewards({ accuracy: 0.5 }), "accuracy")).metadata["reward"]).toBe(0.5);
  });

  it.each<[string, Readonly<Record<string, unknown>>, Readonly<Record<string, number | null>>]>([
    [
      "the trial says none: the sum over its steps",
      {
        agent_result: { n_input_tokens: null },
        step_results: [
          { agent_result: { n_input_tokens: 3, cost_usd: 0.5 } },
          "x",
          { agent_result: { n_input_tokens: 4 } },
        ],
      },
      { promptTokens: 7, costUsd: 0.5, completionTokens: null },
    ],
    [
      "counts are no counts",
      {
        agent_result: {
          n_input_tokens: true,
          n_output_tokens: 1.5,
          n_cache_tokens: -1,
          cost_usd: "1",
        },
      },
      { promptTokens: null, completionTokens: null, cacheReadTokens: null, costUsd: null },
    ],
    ["there is no agent", { agent_result: null }, { promptTokens: null, costUsd: null }],
    [
      "zero is said",
      { agent_result: { n_input_tokens: 0 } },
      { promptTokens: 0, completionTokens: null },
    ],
  ])("has the usage that is told: %s", async (_what, more, measurements) => {
    expect((await of(more)).measurements).toMatchObject(measurements);
  });

  it("has a traceback of bounded length, cut after secrets were taken out", async () => {
    const traceback = `${"x".repeat(8185)}quiet-otter${"y".repeat(5000)}`;
    const trial = await of(thrown({ exception_type: "E", exception_traceback: traceback }));

    expect(trial.error?.traceback).toHaveLength(8192);
    expect(trial.error?.traceback).not.toContain("quiet");
    expect(trial.metadata["traceback_truncated"]).toBe(true);
  });

  it("says last what its trajectory ends with, and prefers OTLP for the evidence", async () => {
    const atif = {
      schema_version: "ATIF-v1.4",
      session_id: "s",
      agent: { name: "a", version: "1" },
      steps: [{ step_id: 1, source: "agent", message: "It is 4." }],
    };
    const text = JSON.stringify(resultOf());
    const own = await adapt({ text, leaves: { "agent/trajectory.json": JSON.stringify(atif) } });
    const both = await adapt({
      text,
      leaves: {
        "artifacts/traces/a.atif.json": JSON.stringify(atif),
        "artifacts/traces/b.jsonl": `{"resourceSpans":[]}\n`,
        "agent/trajectory.json": "spoilt",
        "artifacts/out.txt": "4",
        "verifier/reward.txt": "1",
      },
    });
    const spoilt = await adapt({ text, leaves: { "agent/trajectory.json": "{" } });

    expect(own).toMatchObject({
      output: { outputText: "It is 4." },
      metadata: { trace_format: "atif" },
    });
    expect(own.evidence?.descriptors["trace"]).toMatchObject({
      format: "atif",
      ref: expect.stringMatching(/trajectory\.json$/),
    });
    expect(both).toMatchObject({
      output: { outputText: "It is 4." },
      metadata: { trace_format: "otlp" },
    });
    expect(Object.keys(both.evidence?.descriptors ?? {})).toStrictEqual([
      "trial_dir",
      "trace",
      "logs",
      "final_state",
      "verifier_logs",
      "json:agent/trajectory.json",
      "artifact:artifacts/out.txt",
      "artifact:out.txt",
      "trace:artifacts/traces/a.atif.json",
      "trace:artifacts/traces/b.jsonl",
      "result",
      "log:verifier/reward.txt",
      "trace:otlp",
      "trace:atif",
    ]);
    expect(spoilt).toMatchObject({ status: "completed", output: { outputText: null } });
    expect(spoilt.metadata["trace_problems"]).toHaveLength(1);
    expect(spoilt.evidence?.descriptors).not.toHaveProperty("trace");
  });

  it("that a real Harbor recorded is read whole", async () => {
    const text = readFileSync(sharedFixtures("harbor/error_trial.result.json"), "utf8");

    const trial = await adapt({ text });

    expect(trial).toMatchObject({
      id: "injected-runtime-error__hDCZYzM",
      status: "partial",
      error: {
        type: "AgentTimeoutError",
        message: "Agent execution timed out after 1.0 seconds",
        traceback: expect.stringMatching(/^Traceback[\s\S]*after 1\.0 seconds\n$/),
        occurredAt: "2026-08-13T23:09:48.095444",
      },
      measurements: { promptTokens: null, costUsd: null, runtimeSec: 1.001351 },
      metadata: { reward: 0, agent: "oracle", agent_version: "1.0.0" },
      attempts: [
        {
          cause: "timeout",
          fault: "target",
          startedAt: "2026-08-14T06:09:44.907000Z",
          durationMs: 14_481.716,
          phasesMs: {
            environment_setup: 2164.017,
            agent_setup: 0.037,
            agent_execution: 1001.351,
            verifier: 241.406,
          },
        },
      ],
    });
  });
});

describe("the result of a trial", () => {
  it.each(["", "[]", "{", "1", "null"])("is refused where it is %j", (text) => {
    expect(() => parseResult(text, { folder: "x__1" })).toThrow("x__1/result.json: ");
  });

  it("is one for Harbor itself only with all that identifies it", () => {
    const parsed = (more: object) =>
      parseResult(JSON.stringify(resultOf({ ...more })), { folder: "f" });

    expect(isHarborValid(parsed({}))).toBe(true);
    expect(isHarborValid(parsed({ task_checksum: null }))).toBe(false);
    expect(parsed({ trial_name: 7 }).name).toBe("f");
  });
});
