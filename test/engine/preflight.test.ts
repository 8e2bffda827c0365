import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type AgentTaskRunner,
  AssayError,
  type EvaluationConfig,
  type EvaluationRequest,
  type InstructionInputs,
} from "assay";
import { callable } from "assay/runners";
import { describe, expect, it } from "vitest";
import { heldTrials } from "../../packages/assay/src/engine/imported-trials.ts";
import { bench, completed, metric, refusal, runner, task, tasks } from "./run-kit.ts";

type Request = Partial<EvaluationRequest<InstructionInputs>>;

/** Any target of these cases: that it ran at all is the failure. */
let ran: string[] = [];

const target = runner(async function* () {
  ran.push("runTasks");
  yield completed("t0");
});
const scored = metric("scored", () => {
  ran.push("compute");
  return { outputs: { score: 1 } };
});

function withMembers(members: object): AgentTaskRunner {
  return { ...target, ...members } as AgentTaskRunner;
}

function without(member: keyof AgentTaskRunner): AgentTaskRunner {
  const { [member]: _left, ...rest } = target;
  return rest as unknown as AgentTaskRunner;
}

function refuse(): never {
  throw new Error("cannot be set up");
}

class OtherVersion {
  readonly contractVersion = 2;
  runnerInfo() {
    return { name: "other", kind: "runner", version: null, config: {} };
  }
  runTasks() {
    ran.push("runTasks");
  }
}

interface Case {
  readonly what: string;
  readonly request?: Request;
  readonly config?: EvaluationConfig;
  readonly env?: Readonly<Record<string, string>>;
  readonly code: string;
  readonly exitCode: number;
  /** What the message must name. */
  readonly names: readonly string[];
}

const tasksAndTargets: Case[] = [
  {
    what: "no tasks",
    request: { tasks: [] },
    code: "ASSAY_SUITE_INVALID",
    exitCode: 2,
    names: ["tasks"],
  },
  {
    what: "two tasks with one id",
    request: { tasks: [task("same"), task("same")] },
    code: "ASSAY_TASK_DUPLICATE",
    exitCode: 2,
    names: ['"same"'],
  },
  {
    what: "tasks without a metric",
    request: { metrics: [], tasks: [task("bare"), task("nude")] },
    code: "ASSAY_TASK_INVALID",
    exitCode: 2,
    names: ['"bare"', '"nude"'],
  },
  {
    what: "a view on an output that no metric gives",
    request: {
      tasks: [
        task("viewed", {
          views: { good: { reducer: "mean", signals: [{ metric: "scored", output: "scor" }] } },
        }),
      ],
    },
    code: "ASSAY_TASK_INVALID",
    exitCode: 2,
    names: ['"viewed"', '"scor"', 'did you mean "score"'],
  },
  {
    what: "neither a target nor trials",
    request: { target: undefined } as unknown as Request,
    code: "ASSAY_SUITE_INVALID",
    exitCode: 2,
    names: ["target", "trials"],
  },
  {
    what: "a target and trials",
    request: { trials: [completed("t0")].map(bare) },
    code: "ASSAY_SUITE_INVALID",
    exitCode: 2,
    names: ["target", "trials"],
  },
];

const contracts: Case[] = [
  ...(["runnerInfo", "runTasks", "contractVersion"] as const).map((member) => ({
    what: `a target without ${member}`,
    request: { target: without(member) },
    code: "ASSAY_TARGET_INVALID",
    exitCode: 2,
    names: [member],
  })),
  ...["probe", "dispose", "configure", "checkTask", "runAggregateScores", "effectiveOptions"].map(
    (member) => ({
      what: `a target whose ${member} is no method`,
      request: { target: withMembers({ [member]: "yes" }) },
      code: "ASSAY_TARGET_INVALID",
      exitCode: 2,
      names: [member, "a string"],
    }),
  ),
  {
    what: "an instance of another version of the contract",
    request: { target: new OtherVersion() as unknown as AgentTaskRunner },
    code: "ASSAY_TARGET_INVALID",
    exitCode: 2,
    names: ["contractVersion", "2"],
  },
  {
    what: "an instance that lacks a method",
    request: { target: Object.create({ runnerInfo() {} }) as AgentTaskRunner },
    code: "ASSAY_TARGET_INVALID",
    exitCode: 2,
    names: ["runTasks"],
  },
  {
    what: "a class in the place of an instance",
    request: { target: OtherVersion as unknown as AgentTaskRunner },
    code: "ASSAY_TARGET_INVALID",
    exitCode: 2,
    names: ["a function", "instance"],
  },
  {
    what: "runnerInfo that throws",
    request: {
      target: withMembers({
        runnerInfo: () => {
          throw new TypeError("no identity today");
        },
      }),
    },
    code: "ASSAY_TARGET_INVALID",
    exitCode: 2,
    names: ["runnerInfo()", "no identity today"],
  },
  {
    what: "runnerInfo that gives garbage",
    request: { target: withMembers({ runnerInfo: () => ({ name: "", kind: "robot" }) }) },
    code: "ASSAY_TARGET_INVALID",
    exitCode: 2,
    names: ["runnerInfo()", "name", "kind"],
  },
  {
    what: "runnerInfo whose config is no JSON data",
    request: {
      target: withMembers({
        runnerInfo: () => ({ name: "a", kind: "runner", version: null, config: { f: () => 1 } }),
      }),
    },
    code: "ASSAY_TARGET_INVALID",
    exitCode: 2,
    names: ["config"],
  },
  {
    what: "runnerInfo that is asynchronous",
    request: {
      target: withMembers({
        runnerInfo: async () => {
          throw new Error("nobody hears this");
        },
      }),
    },
    code: "ASSAY_TARGET_INVALID",
    exitCode: 2,
    names: ["runnerInfo()", "synchronous"],
  },
  {
    what: "runnerInfo that gives a promise of its own make",
    request: {
      // biome-ignore lint/suspicious/noThenProperty: what a library's own promise is
      target: withMembers({ runnerInfo: () => ({ then: () => {} }) }),
    },
    code: "ASSAY_TARGET_INVALID",
    exitCode: 2,
    names: ["runnerInfo()", "synchronous"],
  },
  ...(["configure", "effectiveOptions"] as const).map((member) => ({
    what: `${member} that throws`,
    request: { target: withMembers({ [member]: refuse }) },
    code: "ASSAY_TARGET_INVALID",
    exitCode: 2,
    names: [`${member}()`, "cannot be set up"],
  })),
];

const machine: Case[] = [
  {
    what: "a bad seed of one task",
    request: {
      tasks: [
        task("good"),
        task("seeded", { inputs: { instruction: "x", files: { "../out.txt": "text" } } }),
      ],
      target: callable({ name: "agent", agent: () => never("agent") }),
    },
    code: "ASSAY_SEED_INVALID",
    exitCode: 2,
    names: ['"seeded"', "../out.txt"],
  },
  {
    what: "checkTask that throws",
    request: {
      target: withMembers({
        checkTask: async () => {
          throw new RangeError("too hard");
        },
      }),
    },
    code: "ASSAY_TASK_INVALID",
    exitCode: 2,
    names: ['"t0"', "too hard"],
  },
  {
    what: "a metric whose preflight throws",
    request: {
      metrics: [
        {
          ...scored,
          preflight: async () => {
            throw new Error("no judge here");
          },
        },
      ],
    },
    code: "ASSAY_CONFIG_INVALID",
    exitCode: 2,
    names: ['"scored"', "no judge here"],
  },
  {
    what: "a probe that misses its tool",
    request: {
      target: withMembers({
        probe: async () => {
          throw new AssayError("ASSAY_TOOL_NOT_FOUND", "frobnicate is not on PATH");
        },
      }),
    },
    code: "ASSAY_TOOL_NOT_FOUND",
    exitCode: 3,
    names: ["frobnicate"],
  },
  {
    what: "a probe that throws anything else",
    request: {
      target: withMembers({
        probe: async () => {
          throw new TypeError("x is undefined");
        },
      }),
    },
    code: "ASSAY_TOOL_UNUSABLE",
    exitCode: 3,
    names: ["probe()", "x is undefined"],
  },
  {
    what: "a probe that gives garbage",
    request: { target: withMembers({ probe: async () => ({ version: 5 }) }) },
    code: "ASSAY_TARGET_INVALID",
    exitCode: 2,
    names: ["probe()", "version"],
  },
  {
    what: "a declared secret that is not set",
    config: { secrets: ["AGENT_KEY"] },
    code: "ASSAY_SECRET_MISSING",
    exitCode: 3,
    names: ["AGENT_KEY"],
  },
  {
    what: "a declared secret that is too short",
    config: { secrets: ["AGENT_KEY"] },
    env: { AGENT_KEY: "short" },
    code: "ASSAY_SECRET_TOO_SHORT",
    exitCode: 3,
    names: ["AGENT_KEY"],
  },
];

const imported: Case[] = [
  {
    what: "an imported trial of an unknown task",
    request: {
      target: undefined,
      trials: [bare(completed("t0")), bare(completed("t9"))],
    } as unknown as Request,
    code: "ASSAY_TRIALS_INVALID",
    exitCode: 2,
    names: ['"t9:stand_in"', '"t9"'],
  },
  {
    what: "tasks without an imported trial",
    request: {
      target: undefined,
      tasks: ["c", "a", "b"].map((id) => task(id)),
      trials: [bare(completed("b"))],
    } as unknown as Request,
    code: "ASSAY_TRIALS_INVALID",
    exitCode: 2,
    names: ['"a", "c"'],
  },
  {
    what: "an imported trial of the wrong shape",
    request: { target: undefined, trials: [{ ...bare(completed("t0")), status: "fine" }] } as never,
    code: "ASSAY_TRIALS_INVALID",
    exitCode: 2,
    names: ["importedTrials[0]", "status"],
  },
  {
    what: "a number of trials for imported ones",
    request: { target: undefined, trials: [bare(completed("t0"))] } as unknown as Request,
    config: { trialsPerTask: 2 },
    code: "ASSAY_CONFIG_INVALID",
    exitCode: 2,
    names: ["imported"],
  },
];

const override = (path: string[]) => ({
  path,
  value: "x",
  isText: true,
  origin: "flag" as const,
});

const options: Case[] = [
  {
    what: "an override of a target that takes none",
    config: { overrides: [override(["model"])] },
    code: "ASSAY_CONFIG_INVALID",
    exitCode: 2,
    names: ["target.model"],
  },
  {
    what: "an override of an unknown option",
    request: { target: callable({ name: "agent", agent: () => never("agent") }) },
    config: { overrides: [override(["paralelism"])] },
    code: "ASSAY_CONFIG_UNKNOWN_KEY",
    exitCode: 2,
    names: ["target.paralelism", 'did you mean "parallelism"'],
  },
  ...(
    [
      ["trialsPerTask", 0],
      ["trialsPerTask", 1.5],
      ["concurrency", -1],
      ["scoringConcurrency", Number.NaN],
      ["runId", " "],
      ["workDir", ""],
      ["labels", { a: 1 }],
      ["onEvent", "loudly"],
      ["signal", {}],
    ] as const
  ).map(([name, value]) => ({
    what: `${name} of ${JSON.stringify(value)}`,
    config: { [name]: value } as EvaluationConfig,
    code: "ASSAY_CONFIG_INVALID",
    exitCode: 2,
    names: [name],
  })),
  {
    what: "an option that does not exist",
    config: { concurency: 3 } as EvaluationConfig,
    code: "ASSAY_CONFIG_UNKNOWN_KEY",
    exitCode: 2,
    names: ["concurency", 'did you mean "concurrency"'],
  },
];

describe("before anything is run", () => {
  it.each([...tasksAndTargets, ...contracts, ...machine, ...imported, ...options])(
    "refuses $what",
    async ({ request, config, env, code, exitCode, names }) => {
      ran = [];
      const here = bench({ env: env ?? {} });
      const refused = await refusal(() =>
        here.evaluator.run({
          tasks: tasks(1),
          metrics: [scored],
          target,
          ...request,
          config: { workDir: here.workDir, onEvent: here.onEvent, ...config },
        }),
      );

      expect(refused).toMatchObject({ code, exitCode });
      for (const name of names) expect(refused.message).toContain(name);
      expect(ran).toEqual([]);
      expect(existsSync(here.workDir)).toBe(false);
      expect(here.leftovers()).toEqual([]);
      expect(here.events).toEqual([]);
    },
  );

  it("keeps what a probe says is to be done about a fault that would pass in a trial", async () => {
    const remedy = "The engine's disk is full.";
    const target = withMembers({
      probe: async () => {
        throw new AssayError("ASSAY_SANDBOX_FAILED", "no space left", { remedy });
      },
    });

    const here = bench();
    const refused = await refusal(() =>
      here.evaluator.run({
        tasks: tasks(1),
        metrics: [scored],
        target,
        config: { workDir: here.workDir },
      }),
    );

    expect(refused.error).toMatchObject({ code: "ASSAY_TOOL_UNUSABLE", remedy });
  });

  it("refuses a selection that names an unknown task, with a suggestion", async () => {
    const here = bench();
    const suite = await suiteOf();
    const refused = await refusal(() =>
      here.evaluator.runSuite(suite, { workDir: here.workDir, taskIds: ["alpa"] }),
    );

    expect(refused).toMatchObject({ code: "ASSAY_NAME_UNKNOWN", exitCode: 2 });
    expect(refused.message).toContain('did you mean "alpha"');
    expect(existsSync(here.workDir)).toBe(false);
  });

  it.each([
    ["taskIds", []],
    ["limit", 0],
  ])("refuses a selection of nothing: %s", async (name, value) => {
    const here = bench();
    const suite = await suiteOf();
    const refused = await refusal(() => here.evaluator.runSuite(suite, { [name]: value }));

    expect(refused).toMatchObject({ code: "ASSAY_CONFIG_INVALID", exitCode: 2 });
    expect(refused.message).toContain(name);
  });

  it("asks for imported trials of the selected tasks only", async () => {
    const here = bench();
    const suite = await suiteOf();
    const importing = {
      ...suite,
      target: null,
      importedTrials: heldTrials([bare(completed("beta"))]),
    };
    const result = await here.evaluator.runSuite(importing, { taskIds: ["beta"] });

    expect(result.status).toBe("completed");
  });
});

describe("a plan without a run", () => {
  it("finds the same faults, and leaves nothing", async () => {
    const here = bench();
    const suite = await suiteOf();
    const plan = await here.evaluator.planSuite(suite, { trialsPerTask: 3, workDir: here.workDir });

    expect(plan).toMatchObject({
      taskIds: ["alpha", "beta"],
      trialsPerTask: 3,
      trialCount: 6,
      metrics: [{ type: "exact-match", taskCount: 2 }],
    });
    expect(existsSync(here.workDir)).toBe(false);
    expect(here.leftovers()).toEqual([]);
    const refused = await refusal(() => here.evaluator.planSuite(suite, { taskIds: ["gamma"] }));
    expect(refused.code).toBe("ASSAY_NAME_UNKNOWN");
  });
});

describe("the number of trials of a plan", () => {
  it.each([
    [1_000_000_000, "1,000,000,000 trials of each of 2 tasks"],
    [1_000_001, "1,000,001 trials of each of 2 tasks"],
    [Number.MAX_SAFE_INTEGER, "at most 1,000,000 trials of a task and 10,000,000 in all"],
  ])("is refused at once above what a run can hold: %d", async (trialsPerTask, said) => {
    const here = bench();
    const suite = await suiteOf();

    const refused = await refusal(() => here.evaluator.planSuite(suite, { trialsPerTask }));

    expect(refused).toMatchObject({ code: "ASSAY_CONFIG_INVALID", exitCode: 2 });
    expect(refused.message).toContain(said);
  });

  it("is refused above what all tasks together can have", async () => {
    const refused = await refusal(() =>
      bench().evaluator.run({
        tasks: tasks(11),
        metrics: [scored],
        target,
        config: { trialsPerTask: 1_000_000 },
      }),
    );

    expect(refused.message).toContain("1,000,000 trials of each of 11 tasks are too many");
  });

  it("may be a million of one task", async () => {
    const plan = await bench().evaluator.planSuite(await suiteOf(), { trialsPerTask: 1_000_000 });

    expect(plan.trialCount).toBe(2_000_000);
  });
});

/** A suite of two tasks, as `loadSuite` gives it. */
async function suiteOf() {
  const here = bench();
  const file = join(here.root, "two.eval.ts");
  writeFileSync(
    file,
    `import { defineSuite } from "assay";
     import { exactMatch } from "assay/metrics";
     import { callable } from "assay/runners";
     export default defineSuite({ name: "two", metrics: [exactMatch({ reference: "yes" })],
       target: callable({ name: "agent", agent: () => "yes" }),
       tasks: ["alpha", "beta"].map((id) => ({ id, intent: "", inputs: { instruction: id } })) });`,
  );
  const { loadSuite } = await import("assay");
  return await loadSuite(file);
}

/** A trial as it is imported: without what only runners give. */
function bare({
  trialIndex: _index,
  attempts: _attempts,
  ...record
}: ReturnType<typeof completed>) {
  return record;
}

function never(what: string): never {
  ran.push(what);
  throw new Error("it must not run");
}
