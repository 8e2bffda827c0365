import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { runHarborEval } from "assay";
import { type HarborRunnerOptions, harbor, loadHarborTasks } from "assay/runners";
import { describe, expect, it } from "vitest";

import { refusal } from "../../engine/run-kit.ts";
import { runTrials, startTrials } from "../../support/run-trials.ts";
import { sharedFixtures } from "../../support/tools.ts";
import {
  folder,
  resultOf,
  standInPath,
  type TrialScript,
  taskOf,
  writeTask,
} from "./harbor-kit.ts";

const env = { PATH: standInPath, DOCKER_CONFIG: undefined };

interface Place {
  readonly root: string;
  readonly tasks: readonly ReturnType<typeof taskOf>[];
}

function place(
  scripts: Readonly<Record<string, readonly TrialScript[]>> = { one: [{}], two: [{}] },
): Place {
  const root = folder();
  const tasks = Object.entries(scripts).map(([name, trials]) =>
    taskOf(writeTask(join(root, "ds"), name, trials), name),
  );
  return { root, tasks };
}

async function run(
  { root, tasks }: Place,
  options: HarborRunnerOptions = {},
  trialIndexes = [0, 1],
  closing?: AbortSignal,
) {
  const warnings: string[] = [];
  const log = {
    debug() {},
    info() {},
    warn: (message: string) => warnings.push(message),
    error() {},
  };
  const trials = await runTrials(harbor(options), tasks, {
    trialIndexes,
    env,
    baseDir: root,
    log,
    ...(closing === undefined ? {} : { closing }),
  } as never);
  return {
    trials: trials.map(({ taskId, trialIndex }) => `${taskId} ${trialIndex}`).sort(),
    all: trials,
    warnings,
  };
}

const all = ["acme/one 0", "acme/one 1", "acme/two 0", "acme/two 1"];
const starts = (job: string) =>
  existsSync(join(job, "starts")) ? readFileSync(join(job, "starts"), "utf8").length : 0;

describe("a job that is kept under a name", () => {
  const kept: HarborRunnerOptions = { jobsDir: "jobs", jobName: "pinned" };

  it("is not run again: its trials keep their indexes, and another reward key or less talk changes nothing", async () => {
    // Harbor names its trials by chance, so either of a task may come first: both have the reward.
    const styled = { result: { verifier_result: { rewards: { style: 0.5 } } } };
    const at = place({ one: [styled, styled], two: [{}] });
    const job = join(at.root, "jobs/pinned");

    const first = await run(at, kept);
    const second = await run(at, { ...kept, quiet: false, nConcurrentTrials: 9 });
    const third = await run(at, { ...kept, rewardKey: "style" }, [1]);

    expect(first.trials).toStrictEqual(all);
    expect(second.trials).toStrictEqual(all);
    expect(starts(job)).toBe(1);
    const ids = ({ all: trials }: typeof first) =>
      Object.fromEntries(
        trials.map(({ taskId, trialIndex, id }) => [`${taskId} ${trialIndex}`, id]),
      );
    expect(ids(second)).toStrictEqual(ids(first));
    expect(first.all.every(({ attempts }) => attempts?.[0]?.cacheHit === false)).toBe(true);
    expect(second.all.every(({ attempts }) => attempts?.[0]?.cacheHit === true)).toBe(true);
    const styles = third.all.map(({ taskId, metadata }) => [taskId, metadata["reward"]]).sort();
    expect(styles).toStrictEqual([
      ["acme/one", 0.5],
      ["acme/two", null],
    ]);
  });

  it.each<[string, HarborRunnerOptions, (at: Place) => void]>([
    [
      "a file of a task was edited",
      {},
      ({ root }) => writeFileSync(join(root, "ds/one/instruction.md"), "Else"),
    ],
    ["an option shapes other results", { agentName: "nop" }, () => {}],
    ["that is asked for", { forceRerun: true }, () => {}],
  ])("is removed and run anew when %s", async (_what, options, change) => {
    const at = place();
    const first = await run(at, kept, [0]);
    change(at);

    const second = await run(at, { ...kept, ...options }, [0]);

    expect(second.trials).toStrictEqual(first.trials);
    expect(starts(join(at.root, "jobs/pinned"))).toBe(1);
    expect(second.all.map(({ id }) => id)).not.toStrictEqual(first.all.map(({ id }) => id));
    expect(readdirSync(join(at.root, "jobs"))).toStrictEqual(["pinned"]);
  });

  it("is gone on with by Harbor when exactly its own unfinished trials are wanted", async () => {
    const at = place({ one: [{}], two: [{ dies_once: true }] });
    const job = join(at.root, "jobs/pinned");

    const failed = await refusal(() => run(at, kept));
    const before = readdirSync(job).filter((name) => name.startsWith("one__"));
    const { trials, all: got } = await run(at, kept);

    expect(failed).toMatchObject({ code: "ASSAY_RUNNER_FAILED" });
    expect(failed.message).toMatch(
      /exit code 3 and 2 trials did not come; it said last: the disk is full/,
    );
    expect(trials).toStrictEqual(all);
    expect(starts(job)).toBe(2);
    const hits = got.filter(({ attempts }) => attempts?.[0]?.cacheHit === true);
    expect(hits.map(({ id }) => id).sort()).toStrictEqual(before.sort());
    expect(readdirSync(join(at.root, "jobs")).sort()).toStrictEqual(["died", "pinned"]);
  });

  it("is gone on with for a resumed run, which asks for its unfinished task alone", async () => {
    const at = place({ one: [{}], two: [{ dies_once: true }] });
    await refusal(() => run(at, kept));

    const rest = await run({ ...at, tasks: at.tasks.slice(1) }, kept);

    expect(rest.trials).toStrictEqual(["acme/two 0", "acme/two 1"]);
    expect(starts(join(at.root, "jobs/pinned"))).toBe(2);
    expect(readdirSync(join(at.root, "jobs")).sort()).toStrictEqual(["died", "pinned"]);
  });

  it("gets a folder beside it for trials that are asked for later", async () => {
    const at = place();
    await run(at, kept, [0]);

    const more = await run(at, kept, [0, 1, 2]);
    const again = await run(at, kept, [0, 1, 2]);

    expect(more.trials).toHaveLength(6);
    expect(again.trials).toStrictEqual(more.trials);
    expect(again.all.map(({ id }) => id).sort()).toStrictEqual(more.all.map(({ id }) => id).sort());
    expect(readdirSync(join(at.root, "jobs")).sort()).toStrictEqual(["pinned", "pinned__2"]);
    expect(starts(join(at.root, "jobs/pinned__2"))).toBe(1);
  });

  it("leaves a folder of that name alone that Assay did not make", async () => {
    const at = place();
    const foreign = join(at.root, "jobs/pinned");
    mkdirSync(foreign, { recursive: true });
    writeFileSync(join(foreign, "mine.txt"), "mine");

    const { trials, warnings } = await run(at, kept, [0]);

    expect(trials).toHaveLength(2);
    expect(readdirSync(foreign)).toStrictEqual(["mine.txt"]);
    expect(warnings.join()).toContain("is no job that Assay keeps");
  });

  it("is anew when Harbor refuses to go on with it", async () => {
    const at = place({ one: [{}], two: [{}] });
    await run(at, kept, [0, 1]);
    const job = join(at.root, "jobs/pinned");
    const [lost = ""] = readdirSync(job).filter((name) => name.startsWith("two__"));
    writeFileSync(
      join(job, lost, "result.json"),
      JSON.stringify({ ...resultOf(), exception_info: "CancelledError" }),
    );
    writeFileSync(join(job, "config.json"), "{}");

    const { trials, warnings } = await run(at, kept, [0, 1]);

    expect(trials).toStrictEqual(all);
    expect(warnings.join()).toContain("does not go on with the job");
  });
});

describe("trials of Harbor", () => {
  it("that are left of a resumed run are asked for in one job for each number of them", async () => {
    const at = place({ one: [{}], two: [{}], three: [{}] });
    const { task: one } = { task: at.tasks[0] };
    const { trials, context } = await startTrials(harbor({ jobsDir: "jobs" }), [], {
      env,
      baseDir: at.root,
    } as never);
    expect(await trials).toStrictEqual([]);
    expect(one?.id).toBe("acme/one");
    const plan = {
      tasks: at.tasks.map((task, taskIndex) => ({
        task: { intent: "", reference: {}, views: {}, metrics: [], ...task },
        taskIndex,
        trialIndexes: taskIndex === 0 ? [2] : [0, 2],
      })),
      trialsPerTask: 3,
      trialCount: 5,
    };
    const got: string[] = [];
    for await (const { taskId, trialIndex } of harbor({ jobsDir: "jobs" }).runTasks(
      plan as never,
      context,
    ))
      got.push(`${taskId} ${trialIndex}`);

    expect(got.sort()).toStrictEqual([
      "acme/one 2",
      "acme/three 0",
      "acme/three 2",
      "acme/two 0",
      "acme/two 2",
    ]);
    const jobs = readdirSync(join(at.root, "jobs"));
    const counts = jobs.map((job) => {
      const config = JSON.parse(readFileSync(join(at.root, "jobs", job, "config.json"), "utf8"));
      return [config.n_attempts, config.tasks.length];
    });
    expect(counts.sort()).toStrictEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it("are passed over where they are spoilt, cancelled or of no task of the plan", async () => {
    const at = place({
      one: [{ raw: "{" }, {}],
      two: [
        { result: { exception_info: { exception_type: "CancelledError" } } },
        { result: { task_name: "else", config: {}, task_id: {} } },
      ],
    });

    const { trials, warnings } = await run(at);

    expect(trials).toStrictEqual(["acme/one 0"]);
    expect(warnings.join("\n")).toContain("it is not JSON");
    expect(warnings.join("\n")).toContain("3 trials did not come");
  });

  it("wait for the end of the job while Harbor may repeat them", async () => {
    const failing = { result: { exception_info: { exception_type: "Boom" } } };
    const { all: trials } = await run(place({ one: [failing] }), { maxRetries: 1 }, [0]);

    expect(trials).toMatchObject([{ status: "partial", error: { type: "Boom" } }]);
  });

  it("get variables by their names: Harbor's files hold no value", async () => {
    const at = place({ one: [{ says_env: true }] });
    const secrets = { AGENT_KEY: "quiet-otter-parade-41" };
    await runTrials(
      harbor({
        jobsDir: "jobs",
        agentEnvFromHost: ["AGENT_KEY"],
        traceDir: "/app/traces",
        artifacts: ["/app/out"],
      }),
      at.tasks,
      { env, baseDir: at.root, secrets } as never,
    );

    const [job = ""] = readdirSync(join(at.root, "jobs"));
    const config = readFileSync(join(at.root, "jobs", job, "config.json"), "utf8");
    expect(JSON.parse(config)).toMatchObject({
      agents: [{ name: "oracle", env: { AGENT_KEY: "${AGENT_KEY}" } }],
      artifacts: [{ source: "/app/traces", destination: "traces" }, "/app/out"],
      verifier: { env: { TRACE_DIR: "/app/traces" } },
    });
    expect(config).not.toContain(secrets.AGENT_KEY);
  });
});

describe("a finished job", () => {
  const jobOf = (at: Place) => {
    const results = {
      a__1: resultOf({
        trial_name: "a__1",
        task_name: "acme/one",
        started_at: "2026-01-02T03:04:09Z",
      }),
      b__1: resultOf({
        trial_name: "b__1",
        task_name: "acme/one",
        started_at: "2026-01-02T03:04:05Z",
      }),
      c__1: resultOf({ trial_name: "c__1", task_name: "acme/unknown" }),
    };
    for (const [name, result] of Object.entries(results)) {
      mkdirSync(join(at.root, "job", name), { recursive: true });
      writeFileSync(join(at.root, "job", name, "result.json"), JSON.stringify(result));
    }
  };

  it("gives its trials in the order in which they began, and nothing is run", async () => {
    const at = place();
    jobOf(at);
    symlinkSync("a__1", join(at.root, "job/again"));

    const { all: trials, warnings } = await run(at, { jobDir: "job" });
    const later = await run(at, { jobDir: "job" }, [1]);

    expect(trials.map(({ id, trialIndex }) => [id, trialIndex])).toStrictEqual([
      ["b__1", 0],
      ["a__1", 1],
    ]);
    expect(later.all.map(({ id, trialIndex }) => [id, trialIndex])).toStrictEqual([["a__1", 1]]);
    expect(warnings.join()).toContain('has no trial of task "acme/two"');
    expect(warnings.join()).toContain('"again" in the job is a link');
  });

  it("may be made by a function of the suite", async () => {
    const at = place();
    const runJob = { name: "make", run: async () => jobOf(at) };

    expect((await run(at, { jobDir: "job", runJob }, [0])).trials).toStrictEqual(["acme/one 0"]);
  });
});

describe("what is wrong before anything is run", () => {
  it.each<[string, HarborRunnerOptions, string]>([
    ["run_job alone", { runJob: { name: "x", run: async () => {} } }, "run_job needs job_dir"],
    ["agent_dir alone", { agentDir: "a" }, "agent_dir needs agent_import_path"],
    [
      "a job that is and is not run",
      { jobDir: "j", agentName: "nop" },
      "agentName says how Harbor is run",
    ],
    ["a name without a place", { jobName: "x" }, "job_name needs jobs_dir"],
    [
      "a name that leads out",
      { jobName: "../x", jobsDir: "j" },
      'job_name "../x" is not the name of a folder',
    ],
    ["a name that is the place", { jobName: ".", jobsDir: "j" }, 'job_name "."'],
    ["an absolute name", { jobName: "/x", jobsDir: "j" }, 'job_name "/x"'],
    ["a blank reward key", { rewardKey: "" }, "is no key of a reward (invalid_key)"],
    ["a reserved reward key", { rewardKey: "a.pass@3" }, "(reserved_key)"],
  ])("%s", (_what, options, message) => {
    expect(() => harbor(options)).toThrow(message);
  });

  it("another number of trials, a task that is left out, broken or nowhere, a variable that nobody set", async () => {
    const at = place();
    const broken = writeTask(join(at.root, "broken"), "b", [{}], "name = [");
    const context = {
      baseDir: at.root,
      files: (await startTrials(harbor(), [], {})).context.files,
    };
    const check = (options: HarborRunnerOptions, task: object) =>
      refusal(async () => await harbor(options).checkTask?.(task as never, context));
    const [task = taskOf("", "")] = at.tasks;

    expect(() => harbor({ nAttempts: 2 }).checkPlan?.({ trialsPerTask: 3 })).toThrow(
      "n_attempts is 2, and the run has 3",
    );
    expect(() => harbor({ nAttempts: 3 }).checkPlan?.({ trialsPerTask: 3 })).not.toThrow();
    expect((await check({ taskNames: ["two"] }, task)).message).toContain(
      "which task_names leaves out",
    );
    expect((await check({}, taskOf(broken, "b"))).message).toContain(
      `malformed Harbor task config at ${broken}/task.toml`,
    );
    expect((await check({}, { ...task, metadata: {} })).message).toContain(
      'task "acme/one" names no Harbor task',
    );
    expect((await check({ datasetPath: "none" }, task)).message).toContain("is not there");
    expect(
      (await check({ datasetPath: "ds" }, { ...task, id: "x", metadata: {} })).message,
    ).toContain('task "x" is not in the Harbor dataset');
    const { context: whole } = await startTrials(harbor(), [], { env } as never);
    const probe = await refusal(
      async () => await harbor({ agentEnvFromHost: ["NO_SUCH_KEY_X"] }).probe?.(whole),
    );
    expect(probe).toMatchObject({
      code: "ASSAY_SECRET_MISSING",
      message: expect.stringContaining("NO_SUCH_KEY_X"),
    });
  });

  it("a docker without Compose, in its first words", async () => {
    const at = place();
    const docker = join(at.root, "docker");
    const usage = "unknown flag: --short\\n\\nUsage:  docker [OPTIONS] COMMAND";
    writeFileSync(docker, `#!/bin/sh\nprintf '${usage}' >&2\nexit 125\n`, { mode: 0o755 });
    const PATH = [at.root, standInPath].join(delimiter);
    const { context } = await startTrials(harbor(), [], { env: { ...env, PATH } } as never);

    const probe = await refusal(async () => await harbor({}).probe?.(context));

    expect(probe).toMatchObject({
      code: "ASSAY_TOOL_UNUSABLE",
      message: expect.stringMatching(/gives none: unknown flag: --short$/),
    });
  });
});

describe("the folder of a task", () => {
  it.each<[string, (at: string) => void, object]>([
    [
      "is not there",
      () => {},
      {
        code: "ASSAY_TASK_INVALID",
        message: expect.stringMatching(/^the Harbor task ".*\/t" is not there$/),
        remedy: expect.stringContaining("the folder that holds the task.toml"),
      },
    ],
    [
      "has no task.toml",
      (at) => mkdirSync(at),
      {
        code: "ASSAY_TASK_INVALID",
        message: expect.stringMatching(/^the Harbor task ".*\/t" has no task\.toml$/),
      },
    ],
    [
      "has a task.toml that cannot be read",
      (at) => mkdirSync(join(at, "task.toml"), { recursive: true }),
      { code: "ASSAY_FILE_UNREADABLE", message: expect.stringMatching(/task\.toml": .*directory/) },
    ],
    [
      "has a task.toml that leads nowhere",
      (at) => {
        mkdirSync(at);
        symlinkSync("gone", join(at, "task.toml"));
      },
      { code: "ASSAY_FILE_UNREADABLE", message: expect.stringContaining("(ENOENT)") },
    ],
  ])("that %s is refused for just that, not as malformed", async (_what, make, told) => {
    const root = folder();
    make(join(root, "t"));
    const { context } = await startTrials(harbor(), [], {});

    const checking = harbor().checkTask?.(taskOf("t", "t") as never, { ...context, baseDir: root });

    await expect(checking).rejects.toMatchObject(told);
  });
});

describe("a dataset", () => {
  it("gives its tasks by folder, without the template, each with what the agent is told", async () => {
    const root = folder();
    writeTask(root, "b");
    writeTask(root, "a", [{}], 'version = "1.0"\n');
    writeTask(root, "task_template");
    mkdirSync(join(root, "no-task"));
    writeFileSync(
      join(root, "b/instruction.md"),
      readFileSync(sharedFixtures("harbor/calculator.instruction.md")),
    );

    const tasks = await loadHarborTasks(".", { baseDir: root, source: "local" });

    expect(tasks.map(({ id }) => id)).toStrictEqual(["a", "acme/b"]);
    expect(tasks[1]).toMatchObject({
      inputs: { instruction: expect.stringMatching(/^# Fix the calculator/) },
      metadata: { harbor_dataset_path: ".", harbor_task_dir: "b", harbor_source: "local" },
    });
    expect(await loadHarborTasks("b", { baseDir: root })).toHaveLength(1);
    expect(await loadHarborTasks(root, { limit: 1 })).toHaveLength(1);
    await expect(loadHarborTasks(root, { taskNames: ["zz"] })).rejects.toThrow(
      'has no folder "zz"',
    );
    await expect(loadHarborTasks(join(root, "none"))).rejects.toThrow("is not there");
    await expect(loadHarborTasks(join(root, "b/task.toml"))).rejects.toThrow("is no directory");
  });

  it("is run and scored in one call", async () => {
    const { root } = place({ one: [{}], two: [{ result: { verifier_result: null } }] });
    const evaluator = {
      cwd: root,
      env: { PATH: standInPath },
      scratchParent: join(root, "scratch"),
    };

    const result = await runHarborEval("ds", {}, { evaluator, taskNames: ["one", "two"] });

    const scores = await result.scores.toArray();
    expect(scores.map(({ taskId, outputs }) => [taskId, outputs[0]?.value]).sort()).toStrictEqual([
      ["acme/one", 1],
      ["acme/two", 0],
    ]);
    expect(result.metadata.target).toMatchObject({
      name: "harbor",
      version: "0.26.0",
      config: { effective_agent: "oracle", reward_key: "reward", job_dir: null },
    });
  });
});
