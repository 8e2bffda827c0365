import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  AgentEvaluator,
  defineRunner,
  type EvaluationConfig,
  type OptionOverride,
  shapes,
} from "assay";
import { callable, codexCli } from "assay/runners";
import { expect, it } from "vitest";
import { z } from "zod";
import type { CodexCliOptions } from "../../packages/assay/src/runners/codex/index.ts";
import type { JsonObject } from "../../packages/assay/src/support/json.ts";
import { fakeCodex, makeFolder } from "../runners/codex/run-codex.ts";
import { constant, filesBelow, runTarget, storedDocument, storedRows, tasks } from "./run-kit.ts";

interface Recorded {
  readonly models: JsonObject;
  readonly runner: { readonly origins: JsonObject };
}

/** Runs a trial, and gives what Codex was asked for in truth beside what is recorded. */
async function runCodex(
  options: CodexCliOptions,
  overrides: readonly OptionOverride[],
  hostModel?: string,
) {
  const root = makeFolder();
  const { CODEX_HOME: _home, ...env } = process.env;
  const evaluator = new AgentEvaluator({
    env: { ...env, ...(hostModel === undefined ? {} : { HOST_MODEL: hostModel }) },
    cwd: root,
    scratchParent: join(root, "scratch"),
  });
  const workDir = join(root, "run");
  await evaluator.run({
    tasks: tasks(1),
    target: codexCli({ codexBin: fakeCodex, ...options }),
    metrics: [constant()],
    config: { workDir, overrides },
  });
  const given = filesBelow(workDir).find((path) => path.endsWith("given.json")) ?? "";
  const { argv } = JSON.parse(readFileSync(join(workDir, given), "utf8")) as { argv: string[] };
  const { predicate } = storedDocument(workDir, "provenance.json") as never as {
    readonly predicate: Recorded;
  };
  const [attempt] = storedRows(workDir, "attempts.jsonl");
  return { asked: askedFor(argv), ...predicate, attempt };
}

function askedFor(argv: readonly string[]): string | null {
  const flag = argv.indexOf("--model");
  const setting = argv.find((word) => word.startsWith("model="));
  return flag >= 0 ? (argv[flag + 1] ?? null) : (setting?.slice(7, -1) ?? null);
}

const from = (origin: OptionOverride["origin"], ...path: string[]) =>
  ({ path, value: `by-${origin}`, isText: true, origin }) as const;

const nested = "config_overrides.model";

it.each<[string, CodexCliOptions, readonly OptionOverride[], string, string, string]>([
  ["the suite", { model: "m" }, [], "m", "model", "suite"],
  ["only --set", {}, [from("flag", "model")], "by-flag", "model", "flag"],
  [
    "only the environment",
    {},
    [from("environment", "model")],
    "by-environment",
    "model",
    "environment",
  ],
  ["only a call", {}, [from("call", "model")], "by-call", "model", "call"],
  ["a nested setting of the suite", { configOverrides: { model: "n" } }, [], "n", nested, "suite"],
  [
    "a nested setting by --set",
    { configOverrides: { "features.x": true } },
    [from("flag", "config_overrides", "model")],
    "by-flag",
    nested,
    "flag",
  ],
  [
    "a nested setting by the environment, over the suite's",
    { configOverrides: { model: "n" } },
    [from("environment", "config_overrides", "model")],
    "by-environment",
    nested,
    "environment",
  ],
  [
    "an option, which wins over the nested setting",
    { model: "m", configOverrides: { model: "n" } },
    [],
    "m",
    "model",
    "suite",
  ],
  [
    "a variable of the option env",
    { configOverrides: { model: `\${MODEL}` }, env: { MODEL: "v" } },
    [],
    "v",
    nested,
    "suite",
  ],
])("a model given by %s is recorded as what ran, with its origin", async (...row) => {
  const [, options, overrides, requested, option, origin] = row;

  const { asked, models, attempt } = await runCodex(options, overrides);

  expect(models).toEqual({
    requested,
    set_by: { option, origin },
    served: { unknown: "no attempt told what answered" },
  });
  expect(asked).toBe(requested);
  expect(attempt?.["requested_model"]).toBe(requested);
});

it("a model in a variable of the host is recorded as the trials had it", async () => {
  const options = { configOverrides: { model: `\${HOST_MODEL}` }, inheritEnv: ["HOST_MODEL"] };

  const { asked, models } = await runCodex(options, [], "by-host");

  expect(asked).toBe("by-host");
  expect(models).toMatchObject({
    requested: "by-host",
    set_by: { unknown: "it is taken from a variable of the host when a trial begins" },
  });
});

it("a model that nobody names is recorded as Codex's own choice, and none is made up", async () => {
  const { asked, models, runner } = await runCodex({}, []);

  expect(asked).toBeNull();
  expect(models["requested"]).toEqual({
    unknown: expect.stringContaining("Codex takes the default"),
  });
  expect(runner.origins["model"]).toBe("default");
});

it("a model that only the default of an option names is recorded as that", async () => {
  const runner = defineRunner({
    name: "by_default",
    description: "Of a test.",
    needs: [],
    options: { model: shapes(z.string().default("small")) },
    facts: ({ model }) => ({
      model: { name: model, setBy: ["model"] },
      sandbox: { network: "none" },
    }),
    timeLimitS: () => null,
    trialIdSuffix: () => "x",
    run: ({ inputs: _inputs }, { options }) => ({ output: options.model }),
  });

  const { result } = await runTarget(runner({}));

  expect(storedDocument(result.workDir, "provenance.json")).toMatchObject({
    predicate: {
      models: { requested: "small", set_by: { option: "model", origin: "default" } },
      prompt: { unknown: "the runner by_default does not say" },
      sandbox: { network: "none", image: { unknown: "the runner by_default does not say" } },
    },
  });
});

it("an option that was set in part says so of the part alone", async () => {
  const { runner } = await runCodex({ configOverrides: { "features.x": true } }, [
    from("flag", "config_overrides", "model"),
  ]);

  expect(runner.origins).toMatchObject({ config_overrides: "suite", [nested]: "flag" });
});

it("what was set in part when a run began need not be set again when it goes on", async () => {
  const root = makeFolder();
  const { CODEX_HOME: _home, ...env } = process.env;
  const evaluator = new AgentEvaluator({ env, cwd: root, scratchParent: join(root, "scratch") });
  const workDir = join(root, "run");
  const start = async (config: EvaluationConfig) =>
    await evaluator.run({
      tasks: tasks(1),
      target: codexCli({ codexBin: fakeCodex, configOverrides: { "features.x": true } }),
      metrics: [constant()],
      config: { workDir, ...config },
    });
  await start({
    overrides: [from("flag", "config_overrides", "model"), from("flag", "env", "A_B")],
  });

  await start({ resume: true, trialsPerTask: 2 });

  expect(storedDocument(workDir, "provenance.json")).toMatchObject({
    predicate: {
      runner: {
        config: {
          config_overrides: { "features.x": true, model: "by-flag" },
          env: { A_B: "by-flag" },
        },
        origins: { config_overrides: "suite", [nested]: "flag", env: "default", "env.A_B": "flag" },
      },
      models: { requested: "by-flag", set_by: { option: nested, origin: "flag" } },
      invocations: [{}, { accepted: [expect.stringContaining("trials")] }],
    },
  });
});

it("the models of a function are those that it tells of", async () => {
  const models = { requested: "m", served: "m-2026" };
  const target = callable({ name: "a", agent: async () => ({ output: "yes", models }) });

  const { result } = await runTarget(target, { tasks: tasks(3) });

  expect(storedDocument(result.workDir, "provenance.json")).toMatchObject({
    predicate: { models: { requested: "m", served: ["m-2026"] } },
  });
});

it("a function that asks several models, or tells of none, has no one model", async () => {
  const several = callable({
    name: "a",
    agent: async ({ id }) => ({ output: "yes", models: { requested: `m-${id}` } }),
  });
  const silent = callable({ name: "a", agent: async () => "yes" });

  const runs = [await runTarget(several, { tasks: tasks(2) }), await runTarget(silent)];

  expect(runs.map(({ result }) => storedDocument(result.workDir, "provenance.json"))).toMatchObject(
    [
      { predicate: { models: { requested: { unknown: "several were asked for: m-t0, m-t1" } } } },
      { predicate: { models: { requested: { unknown: expect.stringContaining("function") } } } },
    ],
  );
});
