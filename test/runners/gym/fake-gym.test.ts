import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";

import { isRunning } from "../../platform/real-processes.ts";
import { temporaryFolder } from "../../platform/temporary-folder.ts";
import { fakeGym, fakeRunner, gymTasks, notesFile, runGym } from "./run-gym.ts";

type Data = Readonly<Record<string, unknown>>;

/** Starting the stand-in takes its time on a machine that is busy. */
const withinMs = 60_000;

describe("rollouts of Gym", () => {
  it(
    "become trials as they appear, each with its row, its text, its usage and its steps",
    async () => {
      const tasks = gymTasks({}, [{ reward: 0.25 }, { reward: 0, says: "it is B" }]);
      const notes = notesFile();

      const run = await runGym({
        tasks,
        trialIndexes: [0, 1],
        scene: { notes: notes.file, backwards: true },
        options: { model: "mock", modelUrl: "http://127.0.0.1:9/v1" },
      });

      expect(run).toMatchObject({ thrown: null, leftBehind: 0, warnings: [] });
      const [a, b] = tasks.map(({ id }) => id);
      expect(
        run.trials.map(({ id, trialIndex, status }) => [id, trialIndex, status]),
      ).toStrictEqual([
        [`${b}:1`, 1, "completed"],
        [`${b}:0`, 0, "completed"],
        [`${a}:1`, 1, "completed"],
        [`${a}:0`, 0, "completed"],
      ]);
      const [trial] = run.trials;
      expect(trial).toMatchObject({
        taskId: b,
        output: {
          outputText: "it is B",
          response: { model: "served-model" },
          metadata: { agent_ref: { name: "simple_agent" } },
        },
        metadata: {
          reward: 0,
          reward_details: { turns: 3, answer: 1 },
          _ng_task_index: 1,
          _ng_rollout_index: 1,
          agent_ok: true,
          isolation: "none",
        },
        measurements: {
          promptTokens: 20,
          completionTokens: 5,
          totalTokens: 25,
          cacheReadTokens: 8,
          runtimeSec: null,
        },
        attempts: [{ cause: "ended", requestedModel: "mock", servedModel: "served-model" }],
      });
      const { rollout, trace } = trial?.evidence?.descriptors ?? {};
      expect(JSON.parse(readFileSync(String(rollout?.ref), "utf8"))).toMatchObject({ reward: 0 });
      expect(JSON.parse(readFileSync(String(trace?.ref), "utf8"))).toMatchObject({
        agent: { name: "simple_agent", version: "0.4.0", model_name: "served-model" },
        final_metrics: { total_prompt_tokens: 20, total_completion_tokens: 5 },
        steps: [
          { source: "user", message: "q1" },
          { source: "agent", message: "it is B" },
        ],
      });
      expect(dirname(String(rollout?.ref))).toBe(trial?.scratchDirectory);
      expect(run.runner.runAggregateScores?.()).toMatchObject([
        { name: "runner.gym.turns", scoreType: "range", mean: 3 },
        { name: "runner.gym.pass@1/accuracy", scoreType: "scalar", value: 50 },
      ]);

      const [validate, start, helper, collect] = notes.read();
      const names = ["--model-type", "inference_provider", "--resources-server", "mcqa"];
      const model = ["++policy_model_name='mock'", "++policy_base_url='http://127.0.0.1:9/v1'"];
      expect(validate?.words).toStrictEqual(expect.arrayContaining([...names, ...model]));
      expect(start?.words.slice(0, 2)).toStrictEqual(["env", "start"]);
      expect(start?.words).toStrictEqual(expect.arrayContaining([...names, ...model]));
      expect(collect?.words.slice(0, 5)).toStrictEqual([
        "eval",
        "run",
        "--no-serve",
        "--agent",
        "simple_agent",
      ]);
      expect(collect?.words).toStrictEqual(
        expect.arrayContaining(["--num-repeats", "2", "--concurrency"]),
      );
      expect(collect?.words.filter((word) => word.includes("head_server"))).toStrictEqual(
        start?.words.filter((word) => word.includes("head_server")),
      );
      expect(notes.read().at(-1)).toMatchObject({ interrupted: true });
      expect([start?.pid, helper?.helper].map((pid) => isRunning(Number(pid)))).toStrictEqual([
        false,
        false,
      ]);
    },
    withinMs,
  );

  // The rows of the specification (runners §7.c, §7.f).
  it(
    "are partial without a number for a reward, and failed where Gym says so or no agent ran",
    async () => {
      const tasks = gymTasks(
        { noReward: true },
        { reward: "1" },
        { reward: true },
        { reward: "<NaN>" },
        { reward: "NaN" },
        { neverRan: true },
        { failure: "the sandbox broke" },
        { failure: "too slow", failureClass: "timeout_exceeded" },
        { noIndex: true },
      );

      const { trials, thrown } = await runGym({ tasks });

      expect(thrown).toBe(null);
      const told = trials.map(({ id, taskId, status, error, metadata }) => [
        tasks.findIndex((task) => task.id === taskId),
        id.slice(taskId.length),
        status,
        error === null ? null : `${error.type}: ${error.message}`,
        metadata["reward"],
        metadata["agent_ok"],
      ]);
      const partial = (index: number, what: string) => [
        index,
        ":0",
        "partial",
        `MissingReward: "reward" of the rollout is no ${what}`,
        undefined,
        false,
      ];
      expect(told).toStrictEqual([
        partial(0, "number: there is none"),
        partial(1, 'number: it is "1"'),
        partial(2, "number: it is true"),
        partial(3, "finite number: it is NaN"),
        partial(4, 'number: it is "NaN"'),
        [
          5,
          ":0",
          "failed",
          "RunnerError: no agent ran: the response has no output, and no token was sent to a model",
          1,
          false,
        ],
        [8, ":noidx0", "completed", null, 1, true],
        [6, ":fail0", "failed", "RunnerError: the sandbox broke", undefined, false],
        [7, ":fail0", "failed", "TimeoutError: too slow", undefined, false],
      ]);
    },
    withinMs,
  );

  it(
    "that failed stand beside those of the same task that came",
    async () => {
      const tasks = gymTasks([{}, { failure: "broke" }]);

      const { trials, thrown } = await runGym({ tasks, trialIndexes: [0, 1] });

      expect(thrown).toBe(null);
      expect(trials.map(({ id, trialIndex }) => [id.split(":")[1], trialIndex])).toStrictEqual([
        ["0", 0],
        ["fail0", 1],
      ]);
      expect(trials[1]?.metadata).toMatchObject({
        gym_failure: "broke",
        gym_failure_class: "agent_error",
      });
      expect(trials[1]?.evidence?.descriptors).toHaveProperty("rollout_failure");
    },
    withinMs,
  );

  it(
    "have their reward under the key that is given",
    async () => {
      const { trials } = await runGym({ tasks: gymTasks({}), options: { rewardKey: "turns" } });

      expect(trials[0]?.metadata).toMatchObject({ reward: 3, reward_details: { reward: 1 } });
    },
    withinMs,
  );

  it(
    "of a rest are asked for by one job per count, keep the indexes of the run, and give no figures over the whole",
    async () => {
      const tasks = gymTasks({}, {}, {});
      const notes = notesFile();
      const runner = fakeRunner({ scene: { notes: notes.file } });
      const { testRunContext, testTask } = await import("assay/testing");
      const warnings: string[] = [];
      const ignore = () => {};
      const log = {
        debug: ignore,
        info: ignore,
        error: ignore,
        warn: (text: string) => warnings.push(text),
      };
      const context = await testRunContext({ log });
      onTestFinished(() => context.dispose());
      const rest = [[1, 2], [2], [0, 2]].map((trialIndexes, taskIndex) => ({
        task: testTask(tasks[taskIndex] ?? { inputs: {} }),
        taskIndex: taskIndex + 5,
        trialIndexes,
      }));

      const plan = { tasks: rest, trialsPerTask: 3, trialCount: 5, isRest: true };
      const ids: string[] = [];
      for await (const { id } of runner.runTasks(plan, context)) ids.push(id);

      const [a, b, c] = tasks.map(({ id }) => id);
      expect(ids).toStrictEqual([`${b}:2`, `${a}:1`, `${a}:2`, `${c}:0`, `${c}:2`]);
      const jobs = notes.read().filter(({ words }) => words[0] === "eval");
      const repeatsOf = (words: readonly string[]) => words[words.indexOf("--num-repeats") + 1];
      expect(jobs.map(({ words }) => repeatsOf(words))).toStrictEqual(["1", "2"]);
      expect(runner.runAggregateScores?.()).toStrictEqual([]);
      expect(warnings).toStrictEqual([
        "Gym's own figures are left out: they are of the trials of this start alone",
      ]);
    },
    withinMs,
  );

  it(
    "that nobody asked for are passed over with a word, and a torn line is told",
    async () => {
      const tasks = gymTasks({}, [{}, { line: "{}" }], { line: "no json" }, {});

      const run = await runGym({ tasks, trialIndexes: [0, 1], scene: { torn: true } });

      expect(run.trials).toHaveLength(5);
      expect(run.warnings).toStrictEqual([
        "the last line of the rollouts has no end: Gym was stopped while it wrote it",
        "1 rows of Gym were passed over: no index of a task",
        "2 rows of Gym were passed over: a line that is no JSON object, or too long",
      ]);
      expect(run.thrown).toMatchObject({
        code: "ASSAY_RUNNER_FAILED",
        message: `Gym ended well, and neither rollouts.jsonl nor rollouts_failures.jsonl has a row of "${tasks[2]?.id}"`,
      });
    },
    withinMs,
  );
});

describe("a collection that goes wrong", () => {
  it.each([
    {
      what: "ends badly",
      scene: { exitAfter: 1 },
      message:
        /^Gym's collection of rollouts ended with status 2; it said last:\nline 21\n(.*\n){38}line 60\nits servers said last:\n/,
    },
    {
      what: "loses its servers",
      scene: { serversDieAfterMs: 1500, neverEndsAfter: 1 },
      message:
        /^Gym's servers ended while rollouts were collected; it said last:\n[\s\S]*Head server finished unexpectedly!/,
    },
    {
      what: "takes too long",
      scene: { neverEndsAfter: 1 },
      options: { collectionTimeoutS: 2 },
      message: /^the collection of rollouts took more than 2 s$/,
    },
    {
      what: "leaves no file",
      scene: { noFile: true },
      message: /^Gym ended well and left no rollouts\.jsonl$/,
      count: 0,
    },
  ])(
    "since it $what keeps the trials that had come, and its servers are ended",
    async ({ scene, options, message, count = 1 }) => {
      const run = await runGym({ scene, ...(options === undefined ? {} : { options }) });

      expect(run.trials).toHaveLength(count);
      expect(run.thrown).toMatchObject({
        code: "ASSAY_RUNNER_FAILED",
        message: expect.stringMatching(message) as string,
      });
      expect(run.leftBehind).toBe(0);
    },
    withinMs,
  );

  it(
    "for no agent ran is told as such",
    async () => {
      const run = await runGym({ tasks: gymTasks({ neverRan: true }, { neverRan: true }) });

      expect(run.trials.map(({ status }) => status)).toStrictEqual(["failed", "failed"]);
      expect(run.thrown).toMatchObject({
        message: "No agent ran: each of 2 rollouts has no output, and no token was sent to a model",
        remedy: expect.stringContaining("server_log") as string,
      });
    },
    withinMs,
  );

  it(
    "with rows of another run ends there",
    async () => {
      const run = await runGym({ tasks: gymTasks({}, { taskIndex: 7 }) });

      expect(run.trials).toHaveLength(1);
      expect(run.thrown).toMatchObject({
        message: "rollouts.jsonl:2: _ng_task_index 7 is not one of 0, 1",
      });
      expect(run.leftBehind).toBe(0);
    },
    withinMs,
  );

  it.each(["[", '{"a":1}'])(
    "in its figures alone (%s) is no fault of the trials",
    async (badAggregates) => {
      const run = await runGym({ scene: { badAggregates } });

      expect(run).toMatchObject({ thrown: null, leftBehind: 0 });
      expect(run.trials).toHaveLength(2);
      expect(run.runner.runAggregateScores?.()).toStrictEqual([]);
    },
    withinMs,
  );
});

describe("servers that do not start", () => {
  it.each<[string, Data, Data, RegExp]>([
    [
      "are named, the last that Gym told of",
      { neverReady: true },
      { startupTimeoutS: 3, shutdownGraceS: 1 },
      /^Gym's servers were not ready after 3 s; not ready yet: mcqa, policy_model; they said last:\n/,
    ],
    [
      "are told with what they said",
      { dies: true },
      {},
      /^Gym's servers ended while they started, with status 1; they said last:\n[\s\S]*`mcqa` finished unexpectedly!/,
    ],
    [
      "for uv is of another version are told so",
      { uv: ">=0.9.30" },
      {},
      /^NeMo Gym needs uv >=0\.9\.30, and finds another; they said last:/,
    ],
  ])(
    "%s",
    async (_case, scene, options, message) => {
      const notes = notesFile();

      const run = await runGym({ scene: { ...scene, notes: notes.file }, options });

      expect(run.trials).toStrictEqual([]);
      expect(run.thrown).toMatchObject({ message: expect.stringMatching(message) as string });
      expect(notes.read().some(({ words }) => words[0] === "eval")).toBe(false);
      expect(run.leftBehind).toBe(0);
    },
    withinMs,
  );
});

describe("what is wrong before anything is started", () => {
  it.each<[string, Data, Data, object]>([
    [
      "a command that is not there",
      {},
      { gymBin: "no-such-gym" },
      {
        code: "ASSAY_TOOL_NOT_FOUND",
        message: "NeMo Gym's command 'no-such-gym' was not found on PATH",
      },
    ],
    [
      "a command of something else",
      { garbage: true },
      {},
      {
        code: "ASSAY_TOOL_UNUSABLE",
        message: `"${fakeGym} --version" did not give a version: segmentation fault`,
      },
    ],
    ["an old version", { version: "0.3.1" }, {}, { code: "ASSAY_TOOL_VERSION_TOO_OLD" }],
    [
      "settings that Gym does not take",
      { invalid: "--resources-server mcqa: did you mean mcqb?" },
      {},
      {
        code: "ASSAY_CONFIG_INVALID",
        message:
          "Gym does not take its configuration: ✗ --resources-server mcqa: did you mean mcqb?",
      },
    ],
    [
      "a folder that is not there",
      {},
      { gymRoot: "gone" },
      { code: "ASSAY_CONFIG_INVALID", message: 'gym: gym_root: there is no folder "gone"' },
    ],
    [
      "a key that nobody declared",
      {},
      { apiKeySecret: "MY_KEY" },
      {
        code: "ASSAY_CONFIG_INVALID",
        message: 'gym: api_key_secret names "MY_KEY", which is no declared secret',
      },
    ],
    [
      "another number of repeats",
      {},
      { numRepeats: 3 },
      {
        code: "ASSAY_CONFIG_INVALID",
        message: "gym: num_repeats is 3, but the run has 1 trials per task",
      },
    ],
  ])(
    "is told: %s",
    async (_case, scene, options, problem) => {
      const run = await runGym({ scene, options });

      expect(run.thrown).toMatchObject(problem);
      expect(run.trials).toStrictEqual([]);
    },
    withinMs,
  );

  it.each(["rollouts.jsonl", "rollouts_failures.jsonl", "rollouts-2.jsonl"])(
    "is told: a folder with %s of an earlier run",
    async (name) => {
      const baseDir = temporaryFolder();
      mkdirSync(join(baseDir, "kept/gym_run"), { recursive: true });
      writeFileSync(join(baseDir, "kept/gym_run", name), "");

      const run = await runGym({ baseDir, options: { workDir: "kept" } });

      expect(run.thrown).toMatchObject({
        code: "ASSAY_OUTPUT_EXISTS",
        message: `gym: work_dir "kept" was used before: it has "gym_run/${name}"`,
      });
    },
  );

  it("is told: a port that is taken", async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    const port = await new Promise<number>((resolve) => {
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port));
    });

    const run = await runGym({ options: { headServerPort: port } });

    expect(run.thrown).toMatchObject({
      code: "ASSAY_TOOL_UNUSABLE",
      message: `port ${port} for Gym's head server is taken`,
    });
  });
});

describe("the folder and the environment of Gym", () => {
  it(
    "are private, or those that are given; env.yaml is read for what is secret and what shapes results",
    async () => {
      const baseDir = temporaryFolder();
      mkdirSync(join(baseDir, "root"));
      const reference = "judge_api_key: ${oc.env:JUDGE}";
      writeFileSync(
        join(baseDir, "root/env.yaml"),
        `policy_base_url: http://u:pw-of-user@host/v1\npolicy_model_name: m\npolicy_api_key: quiet-otter-41\n${reference}\n`,
      );
      writeFileSync(join(baseDir, "agent.yaml"), "simple_agent: {}\n");
      const notes = notesFile();

      const run = await runGym({
        baseDir,
        scene: { notes: notes.file },
        options: { gymRoot: "root", workDir: "kept", agentConfig: "agent.yaml" },
        secrets: { DECLARED: "a secret of some length" },
        env: { FAKE_GYM_HOST: "not inherited" },
      });

      expect(run).toMatchObject({ thrown: null, leftBehind: 0 });
      for (const name of [
        "rollouts.jsonl",
        "gym_input.jsonl",
        "gym_env.log",
        "gym_eval.stdout.log",
      ])
        expect(existsSync(join(baseDir, "kept/gym_run", name))).toBe(true);
      const [, start] = notes.read();
      expect(start?.words.slice(2, 4)).toStrictEqual(["--config", join(baseDir, "agent.yaml")]);
      expect(start?.words).toContain(
        "+simple_agent.responses_api_agents.simple_agent.resources_server.name=mcqa",
      );
      expect(start?.env).toMatchObject({
        RAY_ENABLE_UV_RUN_RUNTIME_ENV: "0",
        DECLARED: "a secret of some length",
        PATH: expect.stringMatching(`^${dirname(fakeGym)}:`) as string,
      });
      expect(start?.env).not.toHaveProperty("FAKE_GYM_HOST");
      const facts = await fakeRunner({
        options: { gymRoot: "root", agentConfig: "agent.yaml" },
      }).probe?.(run.context);
      expect(facts).toStrictEqual({
        version: "0.4.0",
        resolved: {
          python: "3.13.0",
          openai: "2.7.2",
          ray: "2.60.0",
          agent_config_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
          env_yaml: {
            policy_model_name: "m",
            policy_api_key: "<redacted>",
            judge_api_key: "<redacted>",
          },
        },
        observed: {
          program: fakeGym,
          policy_base_url: expect.stringContaining("@host/v1") as string,
        },
        secrets: expect.anything() as object,
      });
      expect(Object.values(facts?.secrets ?? {})).toContain("quiet-otter-41");
      expect(JSON.stringify(facts?.observed)).not.toContain("pw-of-user");
    },
    withinMs,
  );

  it("do not put the agent's server to a resources server where that is not wanted", async () => {
    const baseDir = temporaryFolder();
    const notes = notesFile();
    const options = { agentConfig: "its/own.yaml", bindResourcesServer: false };

    await runGym({ baseDir, scene: { notes: notes.file }, options });

    const [validate] = notes.read();
    expect(validate?.words.slice(2, 4)).toStrictEqual(["--config", "its/own.yaml"]);
    expect(validate?.words.join(" ")).not.toContain("resources_server.name=");
  });
});

describe("a run that is cancelled", () => {
  it(
    "while rollouts are collected keeps what came, and leaves nothing alive",
    async () => {
      const controller = new AbortController();
      const notes = notesFile();
      const { testRunContext, testPlan } = await import("assay/testing");
      const context = await testRunContext({ signal: controller.signal });
      onTestFinished(() => context.dispose());
      const scene = { notes: notes.file, neverEndsAfter: 1, leavesHelper: true };
      const runner = fakeRunner({ scene });

      const ids: string[] = [];
      for await (const { trialIndex } of runner.runTasks(testPlan(gymTasks({}), [0, 1]), context)) {
        ids.push(String(trialIndex));
        controller.abort(new Error("enough"));
      }

      expect(ids).toStrictEqual(["0"]);
      expect(await context.killLeftovers()).toBe(0);
      const pids = notes.read().flatMap(({ pid, helper }) => [pid, helper ?? pid]);
      expect(pids.filter(isRunning)).toStrictEqual([]);
    },
    withinMs,
  );
});
