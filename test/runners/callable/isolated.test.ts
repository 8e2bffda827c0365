import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AgentEvaluator, loadSuite } from "assay";
import { callable } from "assay/runners";
import { describe, expect, it } from "vitest";
import { suiteFolder } from "../../engine/suite/suite-folder.ts";
import { runTrials } from "../../support/run-trials.ts";
import { type IsolatedSuite, isolatedSuite } from "./isolated-suite.ts";

const timeout = 120_000;
const env = { LEVEL: "hard", OTHER: "not for the agent" };
const secrets = { API_SECRET: "quiet-otter-parade-41" };

async function trialsOf({ runner, suiteProcess }: IsolatedSuite, ids: readonly string[]) {
  const tasks = ids.map((id) => ({
    id,
    intent: "answers",
    inputs: { instruction: "Add 2 and 3" },
    reference: { answer: "5" },
  }));
  const limits = { graceMs: 300 };
  const trials = await runTrials(runner, tasks, { suiteProcess, env, secrets, limits });
  return new Map(trials.map((trial) => [trial.taskId, trial]));
}

const outcomes: Readonly<Record<string, object>> = {
  success: {
    status: "completed",
    output: { outputText: "5" },
    measurements: { promptTokens: 20, completionTokens: 3, costUsd: 0.01 },
    evidence: {
      descriptors: {
        final_state: { kind: "filesystem" },
        logs: { kind: "logs" },
        note: { data: { isEasy: true } },
        trace: { format: "atif" },
      },
    },
  },
  throws: {
    status: "partial",
    error: {
      type: "AgentError",
      message: "RangeError: no such number",
      traceback: expect.stringContaining("isolated.eval.ts:") as string,
    },
    measurements: { promptTokens: 7 },
    evidence: { descriptors: { trace: { format: "atif" } } },
  },
  rateLimited: {
    status: "completed",
    attempts: [{ errorType: "RateLimited" }, { errorType: null }],
  },
  refused: {
    status: "failed",
    error: {
      type: "MissingCredential",
      message: "the agent was refused with status 401: Error: no entry",
    },
    attempts: [{ fault: "environment" }],
  },
  exits: {
    status: "partial",
    error: {
      type: "AgentExitError",
      message: "the agent ended its process with exit code 0 before it replied",
    },
  },
  badExit: { status: "partial", error: { type: "AgentExitError", message: /exit code 3/ } },
  crashes: {
    status: "partial",
    error: { type: "AgentExitError", message: "the agent's process was ended by SIGSEGV" },
  },
  fillsTheHeap: {
    status: "partial",
    error: {
      type: "AgentExitError",
      message: "the agent's process used up the memory of its heap (its 256 MB)",
    },
  },
  rejectsUnseen: {
    status: "partial",
    error: { type: "AgentError", message: "an error that no code awaits: TypeError: unseen" },
  },
  throwsLater: {
    status: "partial",
    error: { type: "AgentError", message: "an error that no code awaits: TypeError: later" },
  },
  waitsForNothing: {
    status: "partial",
    error: {
      type: "AgentExitError",
      message: "the agent awaits a promise that nothing is left to settle",
    },
  },
  speaksOutOfTurn: {
    status: "completed",
    output: { outputText: "5" },
    evidence: { descriptors: { logs: { kind: "logs" } } },
  },
  logsTooMuch: { status: "completed", evidence: { descriptors: { logs: { kind: "logs" } } } },
  saysTooMuch: { status: "partial", error: { type: "OutputTooLarge" } },
  stepsWrongly: { status: "partial", error: { type: "AgentError", message: /BigInt/i } },
  malformed: {
    status: "failed",
    error: { type: "InvalidReturn", message: /outputs/ },
  },
};

describe("an agent in a process of its own", () => {
  let trials: ReturnType<typeof trialsOf> | null = null;
  /** All are run at once, by the test that comes first. */
  const trialOf = async (id: string) => {
    trials ??= isolatedSuite({}).then((suite) =>
      trialsOf(suite, [...Object.keys(outcomes), "tells"]),
    );
    return (await trials).get(id);
  };

  it.each(Object.entries(outcomes))(
    "(%s) ends as it would in this one, or is told why not",
    { timeout },
    async (id, expected) => {
      expect(await trialOf(id)).toMatchObject(withPatterns(expected));
    },
  );

  it("gets its task, its secrets and the variables that are declared, in its workspace", {
    timeout,
  }, async () => {
    const told = JSON.parse((await trialOf("tells"))?.output?.outputText ?? "") as {
      names: string[];
    };

    expect(told).toMatchObject({ id: "tells", isInWorkspace: true, secrets });
    expect(told.names).toEqual(expect.arrayContaining(["API_SECRET", "HOME", "LEVEL", "PATH"]));
    expect(told.names).not.toContain("OTHER");
  });

  it("is ended at its time limit, with what it did so far, in the midst of an endless loop", {
    timeout,
  }, async () => {
    const stopped = await trialsOf(await isolatedSuite({ timeoutS: "6" }), [
      "loop",
      "endsWhenToldTo",
    ]);

    expect(stopped.get("loop")).toMatchObject({
      status: "partial",
      error: { type: "TimeoutError" },
      evidence: { descriptors: { trace: { format: "atif" } } },
    });
    expect(stopped.get("endsWhenToldTo")).toMatchObject({
      status: "partial",
      output: { outputText: "as far as it came" },
      error: { type: "TimeoutError" },
    });
  });
});

describe("the code of an agent in a process of its own", () => {
  const fixtures = join(import.meta.dirname, "fixtures");

  it("is told when it is loaded by the agent itself", { timeout }, async () => {
    const root = suiteFolder({});
    cpSync(fixtures, root, { recursive: true });
    const suite = await loadSuite(join(root, "isolated.eval.ts"), {
      parameters: { agent: "loadsMore" },
    });
    const evaluator = new AgentEvaluator({
      env: secrets,
      cwd: root,
      scratchParent: join(root, "scratch"),
    });
    const result = await evaluator.runSuite(suite, { workDir: join(root, "run") });

    const [trial] = await result.trials.toArray();
    expect(trial?.output?.outputText).toBe("5");
    const provenance = readFileSync(join(root, "run", "provenance.json"), "utf8");
    expect(JSON.parse(provenance)).toMatchObject({
      predicate: {
        code_files: expect.arrayContaining([
          expect.objectContaining({ path: "later-code.ts", loaded: "during_run" }),
        ]) as unknown,
      },
    });
  });

  const withMore = (line: string) => {
    const text = readFileSync(join(fixtures, "isolated.eval.ts"), "utf8");
    return `${line}\nexport const more = answer;\n${text}`;
  };

  it("is what the run recorded, whatever became of the file since then", { timeout }, async () => {
    const root = suiteFolder({
      "more.ts": "export const answer = 5;",
      "s.eval.ts": withMore('import { answer } from "./more.ts";'),
    });
    const suite = await isolatedSuite({}, join(root, "s.eval.ts"));
    writeFileSync(join(root, "more.ts"), "throw new Error('edited meanwhile')");

    expect((await trialsOf(suite, ["success"])).get("success")?.status).toBe("completed");
  });

  it("is refused when it is more than the run recorded", { timeout }, async () => {
    const root = suiteFolder({
      "easy.ts": "export const answer = 5;",
      "hard.ts": "export const answer = 6;",
      "s.eval.ts": withMore(
        'const { answer } = await import(`./${process.env["LEVEL"] ?? "easy"}.ts`);',
      ),
    });
    const suite = await isolatedSuite({}, join(root, "s.eval.ts"));

    expect((await trialsOf(suite, ["success"])).get("success")).toMatchObject({
      status: "failed",
      error: {
        type: "RunnerError",
        message: expect.stringContaining("not what is recorded: hard.ts") as string,
      },
    });
  });

  it("must be a file: a suite that a program built is refused before anything is spent", async () => {
    await expect(runOf({ isolation: "process" })).rejects.toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
      message: expect.stringContaining('isolation "process" needs a suite file') as string,
    });
  });

  it.each([{ memoryLimitMb: 64 }, { inheritEnv: ["HOME"] }])(
    "takes no options of a process without one: %o",
    async (options) => {
      await expect(runOf(options)).rejects.toMatchObject({ code: "ASSAY_CONFIG_INVALID" });
    },
  );
});

/** Runs a suite that is no file. */
async function runOf(options: Partial<Parameters<typeof callable>[0]>) {
  const target = callable({ name: "a", agent: () => "5", ...options });
  const root = suiteFolder({});
  const evaluator = new AgentEvaluator({
    env: {},
    cwd: root,
    scratchParent: join(root, "scratch"),
  });
  const tasks = [{ id: "a", intent: "answers", inputs: { instruction: "x" } }];
  const metric = async function always() {
    return { name: "always", score: 1 };
  };
  return await evaluator.run({ tasks, target, metrics: [metric] });
}

/** Patterns in place of texts. */
function withPatterns(expected: object): object {
  return Object.fromEntries(
    Object.entries(expected).map(([key, value]: [string, unknown]) => {
      if (value instanceof RegExp) return [key, expect.stringMatching(value) as unknown];
      const isPlain = typeof value === "object" && value?.constructor === Object;
      return [key, isPlain ? withPatterns(value as object) : value];
    }),
  );
}

describe("a line that an agent forged", () => {
  const digest = "0".repeat(64);

  it.each([
    ["a digest that is none", [{ path: "x", sha256: "zz" }]],
    ["no path", [{ path: "", sha256: digest }]],
    ["a path that no file system takes", [{ path: "x".repeat(5000), sha256: digest }]],
  ])("is no record of code when it has %s", async (_what, files) => {
    const { suiteProcess } = await isolatedSuite({});

    expect(() => suiteProcess.read(JSON.stringify({ loaded: { files, blind: [] } }))).toThrow(
      "line of the suite's process",
    );
  });
});
