import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { AgentEvaluator } from "assay";
import { harborReward } from "assay/metrics";
import { describe, expect, it } from "vitest";

import { suiteOf } from "../../engine/rescore-kit.ts";
import { refusal } from "../../engine/run-kit.ts";
import { sharedFixtures } from "../../support/tools.ts";
import { folder, resultOf } from "./harbor-kit.ts";

async function importing(cwd: string, path: string) {
  const evaluator = new AgentEvaluator({ cwd, env: {}, scratchParent: join(cwd, "scratch") });
  const { losses, result } = await evaluator.importResults("harbor", path, {
    workDir: join(cwd, "out"),
  });
  return {
    losses,
    result,
    trials: await result.trials.toArray(),
    scores: await result.scores.toArray(),
    evaluator,
  };
}

function jobOf(files: Readonly<Record<string, unknown>>): string {
  const cwd = folder();
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, "job", file)), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content);
    writeFileSync(join(cwd, "job", file), text);
  }
  return cwd;
}

const named = (name: string, more: Readonly<Record<string, unknown>> = {}) =>
  resultOf({ trial_name: name, ...more });

describe("a job of Harbor", () => {
  it("becomes trials with their rewards, times, evidence and the job's own figures", async () => {
    const cwd = jobOf({
      "config.json": {
        job_name: "j",
        n_attempts: 2,
        agents: [{ name: "oracle", env: { K: "v" } }],
      },
      "result.json": {
        stats: {
          n_trials: 3,
          n_errors: 1,
          evals: { e: { metrics: [{ mean: 0.5 }], exception_stats: { Boom: ["c__1"] } } },
        },
      },
      "b__2/result.json": named("b__2", {
        started_at: "2026-01-02T03:04:06Z",
        verifier_result: { rewards: { reward: 0 } },
      }),
      "a__1/result.json": named("a__1"),
      "a__1/agent/oracle.txt": "said",
      "c__1/result.json": named("c__1", {
        task_name: "acme/sub-two",
        exception_info: "Boom",
        verifier_result: null,
      }),
      "d__1/result.json": "{",
      "d__1/trial.log": "no result",
    });

    const { trials, scores, losses, result } = await importing(cwd, "job");

    expect(
      trials
        .map(({ id, taskId, status, metadata }) => [taskId, id, status, metadata["reward"]])
        .sort(),
    ).toStrictEqual([
      ["acme/add-two", "a__1", "completed", 1],
      ["acme/add-two", "b__2", "completed", 0],
      ["acme/sub-two", "c__1", "partial", null],
    ]);
    expect(scores.map(({ trialId, outputs }) => [trialId, outputs[0]?.value]).sort()).toStrictEqual(
      [
        ["a__1", 1],
        ["b__2", 0],
        ["c__1", 0],
      ],
    );
    const logs = trials.find(({ id }) => id === "a__1")?.evidence?.descriptors[
      "log:agent/oracle.txt"
    ];
    expect(readFileSync(join(result.workDir, logs?.ref ?? "none"), "utf8")).toBe("said");
    expect(losses).toContainEqual({
      field: "d__1/result.json",
      reason: "it cannot be read as the result of a trial",
      count: 1,
    });
    expect(losses).toContainEqual(
      expect.objectContaining({ field: "result.json: trial_uri", count: 3 }),
    );
    const summary = readFileSync(join(result.workDir, "summary.json"), "utf8");
    for (const name of ["n_trials", "n_errors", "exception.Boom", "metric.mean"])
      expect(summary).toContain(`"runner.harbor.${name}"`);
    expect(summary).toContain('"harbor_reward.reward"');
    expect(readFileSync(join(result.workDir, "provenance.json"), "utf8")).toContain(
      '"effective_agent"',
    );
  });

  it.each([
    ["as a file", "error_trial.result.json"],
    ["as the folder of a trial", "trial"],
    ["in a job", "job"],
  ])(
    "that a real Harbor recorded is taken %s: partial, its error and zone-less time kept, and scored 0 again",
    async (_how, path) => {
      const cwd = folder();
      const fixture = sharedFixtures("harbor/error_trial.result.json");
      cpSync(fixture, join(cwd, "error_trial.result.json"));
      cpSync(fixture, join(cwd, "trial/result.json"), { recursive: true });
      cpSync(fixture, join(cwd, "job/injected__hDCZYzM/result.json"), { recursive: true });

      const { trials, result, losses, evaluator } = await importing(cwd, path);

      expect(trials).toMatchObject([
        {
          taskId: "harbor/injected-runtime-error",
          status: "partial",
          error: { type: "AgentTimeoutError", occurredAt: "2026-08-13T23:09:48.095444" },
          // Its verifier ran after the agent was stopped, and gave it a 0.
          metadata: { reward: 0 },
          output: { outputText: null },
        },
      ]);
      expect(losses.map(({ field }) => field)).toStrictEqual([
        "result.json: id",
        "result.json: trial_uri",
        "result.json: task_id",
        "result.json: source",
        "result.json: config",
      ]);
      const tasks = result.tasks.map(({ id, intent }) => ({
        id,
        intent,
        inputs: { instruction: "" },
      }));
      const suite = await suiteOf(cwd, tasks, [harborReward()]);
      const again = await evaluator.rescore(result.workDir, suite, { workDir: join(cwd, "again") });
      expect(await again.scores.toArray()).toMatchObject([
        { metricType: "harbor_reward", outputs: [{ name: "reward", value: 0 }] },
      ]);
    },
  );

  it("may hold links and odd trials: each costs itself alone, and is told", async () => {
    const deep = "[".repeat(5000) + "]".repeat(5000);
    const cwd = jobOf({
      "a__1/result.json": JSON.stringify(named("a__1", { config: "DEEP" })).replace('"DEEP"', deep),
      "b__1/result.json": named("../../up", { agent_result: [], exception_info: ["boom"] }),
      "z__1/result.json": named("z__1"),
    });
    symlinkSync("z__1", join(cwd, "job/m__1"));
    mkdirSync(join(cwd, "job/n__1"));
    symlinkSync(join(cwd, "job/z__1/result.json"), join(cwd, "job/n__1/result.json"));
    mkdirSync(join(cwd, "job/z__1/agent/sub"), { recursive: true });
    symlinkSync("../../result.json", join(cwd, "job/z__1/agent/sub/inner"));
    symlinkSync("/etc", join(cwd, "job/z__1/agent/outer"));
    execFileSync("mkfifo", [join(cwd, "job/z__1/agent/fifo")]);

    const { trials, losses } = await importing(cwd, "job");

    expect(trials.map(({ id, status }) => [id, status]).sort()).toStrictEqual([
      ["../../up", "partial"],
      ["a__1", "completed"],
      ["z__1", "completed"],
    ]);
    expect(losses).toEqual(
      expect.arrayContaining([
        { field: "m__1 and others", reason: "a link, which is not followed", count: 3 },
        { field: "z__1/agent/fifo", reason: "no ordinary file, which is not read", count: 1 },
      ]),
    );
  });

  it.each<[string, Readonly<Record<string, unknown>>, string, string]>([
    ["there is none", { "config.json": {} }, "job", "holds no result of a Harbor trial"],
    [
      "the only one is broken",
      { "x__1/result.json": "{" },
      "job",
      "x__1/result.json: it is not JSON",
    ],
    [
      "the only one gives a key twice",
      { "x__1/result.json": '{"task_name":"t","reward":1,"reward":0}' },
      "job",
      'x__1/result.json: the key "reward" of an object stands in it twice',
    ],
    ["the only one names no task", { "x__1/result.json": {} }, "job", "it names no task"],
    [
      "a file of another name is half written",
      { "half.json": '{"task_name": "x' },
      "job/half.json",
      'half.json: it is not JSON; it begins with "{\\"task_name\\": \\"x"',
    ],
    ["no path is given", {}, "", "the path of the results is empty"],
    [
      "none of its trials has ended",
      { "result.json": { stats: {} }, "x__1/trial.log": "" },
      "job",
      "it names no task, for it is about a whole job",
    ],
    [
      "a summary names no task",
      { "summary.json": { reward_details: { reward: {} } } },
      "job/summary.json",
      "holds no result of a Harbor trial",
    ],
  ])("is refused where %s", async (_what, files, path, message) => {
    const cwd = jobOf(files);

    const error = await refusal(() => importing(cwd, path));

    expect(error).toMatchObject({
      code: path === "" ? "ASSAY_FILE_UNREADABLE" : "ASSAY_RESULTS_INVALID",
    });
    expect(error.message).toContain(message);
  });
});

it("the summary of an older evaluation becomes trials, as far as it tells of them", async () => {
  const cwd = jobOf({
    "summary.json": `{
      "reward": {"harbor_reward.reward": 0.5},
      "reward_details": {
        "reward": {"1.0": ["acme/a", "acme/twice"], "0.0": ["acme/b", "acme/twice", 7], "NaN": ["acme/nan"]},
        "style": {"0.5": ["acme/a", "acme/twice"]}
      },
      "exceptions": {"AgentTimeoutError": ["acme/b"], "Boom": ["acme/none", "acme/none"]}
    }`,
  });
  const { trials, scores, losses, result } = await importing(cwd, "job/summary.json");

  const told = trials.map(({ id, status, error, metadata }) => [
    ...[id, status, error?.type ?? null, metadata["reward"]],
    ...[metadata["reward_details"]],
  ]);
  expect(told.sort()).toStrictEqual([
    ["acme/a:harbor", "completed", null, 1, { reward: 1, style: 0.5 }],
    ["acme/b:harbor", "partial", "AgentTimeoutError", 0, { reward: 0 }],
    ["acme/nan:harbor", "partial", "MissingReward", null, {}],
    ["acme/none:harbor", "partial", "Boom", null, {}],
    ["acme/none:harbor:1", "partial", "Boom", null, {}],
    ["acme/twice:harbor", "completed", null, 1, { reward: 1 }],
    ["acme/twice:harbor:1", "completed", null, 0, { reward: 0 }],
  ]);
  expect(trials.map(({ measurements }) => measurements.runtimeSec)).toStrictEqual(
    trials.map(() => null),
  );
  expect(scores.reduce((sum, { outputs }) => sum + Number(outputs[0]?.value), 0)).toBe(2);
  expect(losses).toStrictEqual([
    {
      field: "reward_details.reward.0.0",
      reason: "what is named there is no id of a task",
      count: 1,
    },
    {
      field: "reward_details.style of acme/twice",
      reason: "to which of the task's trials it belongs is not told",
      count: 1,
    },
  ]);
  const summary = readFileSync(join(result.workDir, "summary.json"), "utf8");
  expect(summary).toContain('"runner.harbor.summary.harbor_reward.reward"');
  expect(summary).toContain('"runner.harbor.exception.Boom"');
});
