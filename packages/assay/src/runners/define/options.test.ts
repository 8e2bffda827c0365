import { defineRunner, namedFunction, type RunnerFactory } from "assay/runners";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import { runTrials } from "../../../../../test/support/run-trials.ts";
import type { OptionOverride } from "../../contracts/runner.ts";
import { dataMap, jsonObject, stringMap } from "../../schema/free-form.ts";
import { hostPath } from "../../schema/path-option.ts";
import { credential, type OptionTable, operational, shapes } from "../../support/options.ts";

function factoryOf<T extends OptionTable>(
  options: T,
  check?: (values: never) => void,
): RunnerFactory<T> {
  return defineRunner({
    name: "tool",
    description: "For tests.",
    needs: [],
    options,
    ...(check === undefined ? {} : { check: check as never }),
    timeLimitS: () => null,
    trialIdSuffix: () => "t",
    run: async (_task, context) => ({ output: JSON.stringify(context.options) }),
  });
}

const binding = { suiteName: "checkout", baseDir: "/project/evals", overrides: [] };
const text = (
  path: string,
  value: string,
  origin: OptionOverride["origin"] = "flag",
): OptionOverride => ({
  path: path.split("."),
  value,
  isText: true,
  origin,
});
const typed = (
  path: string,
  value: OptionOverride["value"],
  origin: OptionOverride["origin"] = "call",
): OptionOverride => ({
  path: path.split("."),
  value,
  isText: false,
  origin,
});

const tool = factoryOf({
  model: shapes(z.string().default("small")),
  timeoutS: shapes(z.number().positive().nullable().default(600)),
  isVerbose: shapes(z.boolean().default(false)),
  skills: shapes(z.array(z.string()).default([])),
  limits: shapes(
    z
      .strictObject({ memoryMb: z.int().default(512), cpuCount: z.int().default(1) })
      .default({ memoryMb: 2048, cpuCount: 2 }),
  ),
  env: shapes(stringMap().default({})),
  command: operational(hostPath().default("tool"), "known by its version"),
  apiKey: credential(z.string().min(8).optional()),
});

function configured(given: Parameters<typeof tool>[0], ...overrides: OptionOverride[]) {
  const runner = tool(given).configure?.({ ...binding, overrides });
  const effective = runner?.effectiveOptions?.();
  if (runner === undefined || effective === undefined)
    throw new Error("a defined runner can be configured");
  return { runner, ...effective };
}

describe("the value of an option", () => {
  it("comes from the default, then the suite, then each override in turn, and its origin is told", () => {
    const { config, origins } = configured(
      { timeoutS: 5, skills: ["a"] },
      text("timeout_s", "7", "environment"),
      text("is_verbose", "true", "environment"),
      text("timeout_s", "8", "flag"),
      typed("timeout_s", 9, "call"),
    );

    expect(config).toMatchObject({ model: "small", timeout_s: 9, is_verbose: true, skills: ["a"] });
    expect(origins).toStrictEqual({
      model: "default",
      timeout_s: "call",
      is_verbose: "environment",
      skills: "suite",
      limits: "default",
      env: "default",
      command: "default",
      api_key: "default",
    });
  });

  it("that is given as undefined is the default", () => {
    const { config, origins } = configured({ model: undefined });

    expect(config["model"]).toBe("small");
    expect(origins["model"]).toBe("default");
  });

  it("runs as it is recorded: the agent sees the very options of the record", async () => {
    const { runner } = configured(
      { timeoutS: 5 },
      text("model", "large"),
      text("limits.memory_mb", "64"),
    );

    const [trial] = await runTrials(runner, [{ inputs: {} }]);

    expect(JSON.parse(trial?.output?.outputText ?? "")).toStrictEqual({
      model: "large",
      timeoutS: 5,
      isVerbose: false,
      skills: [],
      limits: { memoryMb: 64, cpuCount: 2 },
      env: {},
      command: "tool",
    });
    expect(runner.runnerInfo().config).toMatchObject({
      model: "large",
      limits: { memory_mb: 64, cpu_count: 2 },
    });
  });
});

describe("the text of a flag becomes what the option's schema wants", () => {
  it.each<[string, string, string, unknown]>([
    ["model", "5", "model", "5"],
    ["model", "true", "model", "true"],
    ["model", "null", "model", "null"],
    ["model", '{"a":1}', "model", '{"a":1}'],
    ["model", "a=b c", "model", "a=b c"],
    ["timeout_s", "5", "timeout_s", 5],
    ["timeout_s", "2.5", "timeout_s", 2.5],
    ["timeout_s", "null", "timeout_s", null],
    ["is_verbose", "true", "is_verbose", true],
    ["skills", '["a","b"]', "skills", ["a", "b"]],
    ["limits", '{"memory_mb":64}', "limits", { memory_mb: 64, cpu_count: 1 }],
    ["limits.memory_mb", "64", "limits", { memory_mb: 64, cpu_count: 2 }],
    ["env.A", "5", "env", { A: "5" }],
    ["env.aB", "x", "env", { aB: "x" }],
    ["env.__proto__", "x", "env", JSON.parse('{"__proto__":"x"}')],
  ])("--set target.%s=%s", (path, value, key, expected) => {
    expect(configured({}, text(path, value)).config[key]).toStrictEqual(expected);
  });

  it("adds up over several parts of one option", () => {
    const { config } = configured(
      { env: { A: "1" } },
      text("env.B", "2"),
      text("limits.cpu_count", "8"),
      text("limits.memory_mb", "1"),
    );

    expect(config).toMatchObject({
      env: { A: "1", B: "2" },
      limits: { memory_mb: 1, cpu_count: 8 },
    });
  });

  it("reaches into lists by position", () => {
    expect(
      configured({ skills: ["a", "b"] }, text("skills.1", "c")).config["skills"],
    ).toStrictEqual(["a", "c"]);
  });

  it.each<[OptionOverride, string]>([
    [
      text("timeout_s", "soon"),
      'target.timeout_s: Invalid input: expected number, received string (given: "soon")',
    ],
    [
      text("timeout_s", "-1"),
      'target.timeout_s: Too small: expected number to be >0 (given: "-1")',
    ],
    [
      text("is_verbose", "yes"),
      'target.is_verbose: Invalid input: expected boolean, received string (given: "yes")',
    ],
    [text("modle", "x"), 'target.modle: tool has no option "modle" (did you mean "model"?)'],
    [
      text("timeoutS", "5"),
      'target.timeoutS: tool has no option "timeoutS" (did you mean "timeout_s"?)',
    ],
    [
      text("limits.memory", "5"),
      'target.limits.memory: unknown key "memory" (did you mean "memory_mb"?) (given: "5")',
    ],
    [
      text("limits.memoryMb", "5"),
      'target.limits.memoryMb: unknown key "memoryMb" (did you mean "memory_mb"?) (given: "5")',
    ],
    [
      typed("skills", "a"),
      'target.skills: Invalid input: expected array, received string (given: "a")',
    ],
    [text("api_key", "short"), "target.api_key: Too small: expected string to have >=8 characters"],
  ])("or is refused: %j", (override, message) => {
    expect(() => configured({}, override)).toThrow(
      expect.objectContaining({ message, fault: "user" }),
    );
  });

  it("cannot be a function", () => {
    const runner = factoryOf({ build: shapes(namedFunction<"build", () => string>("build")) })({
      build: { name: "b", build: () => "" },
    });

    expect(() => runner.configure?.({ ...binding, overrides: [text("build", "x")] })).toThrow(
      "target.build: a function cannot be set from outside the suite",
    );
  });
});

describe("the record of the options", () => {
  it("leaves what does not shape results out of the part that is digested", () => {
    const { config, shaping, roles } = configured({});

    expect(Object.keys(shaping)).toStrictEqual([
      "env",
      "is_verbose",
      "limits",
      "model",
      "skills",
      "timeout_s",
    ]);
    expect(Object.keys(config)).toStrictEqual([
      "api_key",
      "command",
      "env",
      "is_verbose",
      "limits",
      "model",
      "skills",
      "timeout_s",
    ]);
    expect(roles).toMatchObject({ model: "shapes", command: "operational", api_key: "credential" });
  });

  it("says of a credential only whether it was given", () => {
    expect(configured({}).config["api_key"]).toBeNull();
    expect(JSON.stringify(configured({ apiKey: "quiet-otter" }))).not.toContain("quiet-otter");
    expect(configured({ apiKey: "quiet-otter" }).config["api_key"]).toBe("<redacted>");
  });

  it("holds no credential that a free-form option carries", () => {
    const { config } = configured({
      env: { HF_TOKEN: "hf_quiet", CACHE: "/c", PROXY: "https://user:otter@host/" },
    });

    expect(JSON.stringify(config)).not.toMatch(/hf_quiet|otter/);
    expect(config["env"]).toMatchObject({ HF_TOKEN: "<redacted>", CACHE: "/c" });
  });

  it("is the same bytes for the same options, in whatever order they are given", () => {
    const one = configured({ model: "m", env: { a: "1", b: "2" } });
    const other = configured({ env: { b: "2", a: "1" }, model: "m" });

    expect(JSON.stringify(one.config)).toBe(JSON.stringify(other.config));
    expect(JSON.stringify(one.shaping)).toBe(JSON.stringify(other.shaping));
  });

  it("cannot be changed from outside, nor can the options that run", () => {
    const env = { A: "1" };
    const { runner, config } = configured({ env });

    env.A = "changed later";
    expect(runner.runnerInfo().config["env"]).toStrictEqual({ A: "1" });
    expect(() => {
      (config as Record<string, unknown>)["model"] = "other";
    }).toThrow(TypeError);
    expect(Object.isFrozen(env)).toBe(false);
  });

  it.each([
    ["/project/evals/bin/tool", "./bin/tool"],
    ["/project/evals", "/project/evals"],
    ["/project/evals-2/tool", "/project/evals-2/tool"],
    ["/usr/bin/tool", "/usr/bin/tool"],
    ["tool", "tool"],
    ["../tool", "../tool"],
  ])("has the path %s as %s, relative to the suite where it lies below it", (command, recorded) => {
    expect(configured({ command }).config["command"]).toBe(recorded);
  });

  it("names functions by the suite and their stable name", () => {
    const factory = factoryOf({
      build: shapes(
        namedFunction<"build", () => string>("build").default({
          name: "default",
          module: "assay",
          build: () => "",
        }),
      ),
    });
    const recorded = (options: Parameters<typeof factory>[0], suiteName = "checkout") =>
      factory(options)
        .configure?.({ ...binding, suiteName })
        ?.runnerInfo().config["build"];

    expect(recorded({ build: { name: "terse", build: () => "x" } })).toBe("checkout#terse");
    expect(recorded({ build: { name: "terse", build: () => "x" } }, "")).toBe("terse");
    expect(recorded({})).toBe("assay#default");
  });

  it.each<[string, unknown]>([
    ["no name", { build: () => "" }],
    ["an empty name", { name: "", build: () => "" }],
    ["no function", { name: "terse" }],
    ["a bare function", () => ""],
  ])("takes no function with %s", (_what, build) => {
    const factory = factoryOf({ build: shapes(namedFunction<"build", () => string>("build")) });

    expect(() => factory({ build: build as never })).toThrow(
      /options of tool: build: expected { name: "<stable name>", build: function }/,
    );
  });

  it("refuses what it cannot hold, instead of writing something in its place", () => {
    const factory = factoryOf({
      provider: shapes(z.custom<object>((value) => typeof value === "object")),
    });

    expect(() => factory({ provider: { create: () => 1 } })).toThrow(
      "options of tool: cannot be recorded: provider.create is a function",
    );
    expect(() => factory({ provider: new Map() })).toThrow(
      "cannot be recorded: provider is an instance of Map",
    );
    expect(factory({ provider: { a: 1 } }).runnerInfo().config).toStrictEqual({
      provider: { a: 1 },
    });
  });

  it("keeps the caller's keys in free-form options and spells its own as the wire does", () => {
    const factory = factoryOf({
      agentKwargs: shapes(jsonObject().default({})),
      modelsByRole: shapes(dataMap(z.strictObject({ modelName: z.string() })).default({})),
    });

    const { config } = factory({
      agentKwargs: { aB: 1, __proto__: null as never },
      modelsByRole: { mainOne: { modelName: "m" } },
    }).runnerInfo();

    expect(config).toStrictEqual({
      agent_kwargs: { aB: 1 },
      models_by_role: { mainOne: { model_name: "m" } },
    });
  });
});

describe("options that are wrong are refused when the runner is made", () => {
  it.each<[string, unknown, string]>([
    [
      "an unknown key",
      { modle: "x" },
      'options of tool: unknown key "modle" (did you mean "model"?)',
    ],
    [
      "the spelling of the wire",
      { timeout_s: 5 },
      'options of tool: unknown key "timeout_s" (did you mean "timeoutS"?)',
    ],
    [
      "a wrong type",
      { timeoutS: "5" },
      "options of tool: timeoutS: Invalid input: expected number, received string",
    ],
    [
      "a number that is not finite",
      { timeoutS: Number.POSITIVE_INFINITY },
      "options of tool: timeoutS: Invalid input: expected number, received Infinity",
    ],
    ["no object", 5, "options of tool: expected an object, not a number"],
  ])("%s", (_what, given, message) => {
    expect(() => tool(given as never)).toThrow(expect.objectContaining({ message, fault: "user" }));
  });

  it("by the runner's own rule over several of them, before and after overrides", () => {
    const factory = factoryOf(
      { a: shapes(z.int().default(1)), b: shapes(z.int().default(2)) },
      ({ a, b }: { a: number; b: number }) => {
        if (a > b) throw new RangeError("a must not be above b");
      },
    );

    expect(() => factory({ a: 3 })).toThrow("a must not be above b");
    expect(() => factory({}).configure?.({ ...binding, overrides: [text("a", "3")] })).toThrow(
      "a must not be above b",
    );
  });
});

describe("a runner of a YAML suite", () => {
  it("takes its options in the spelling of the wire, and tells defaults from what was given", () => {
    const runner = tool.fromConfig({ timeout_s: 5, limits: { memory_mb: 64 } });

    expect(runner.runnerInfo().config).toMatchObject({
      timeout_s: 5,
      model: "small",
      limits: { memory_mb: 64, cpu_count: 1 },
    });
    expect(runner.effectiveOptions?.().origins).toMatchObject({
      timeout_s: "suite",
      model: "default",
    });
  });

  it.each<[unknown, RegExp]>([
    [{ timeoutS: 5 }, /target tool: unknown key "timeoutS" \(did you mean "timeout_s"\?\)/],
    [{ limits: { memoryMb: 5 } }, /unknown key "limits.memoryMb" \(did you mean "memory_mb"\?\)/],
    [{ timeout_s: "5" }, /target tool: timeout_s: Invalid input: expected number, received string/],
  ])("refuses %j", (wire, message) => {
    expect(() => tool.fromConfig(wire)).toThrow(message);
  });

  it("cannot be one that needs a function, but may be one that has a default for it", () => {
    const build = namedFunction<"build", () => string>("build");
    const needs = factoryOf({ build: shapes(build) });
    const has = factoryOf({
      build: shapes(build.default({ name: "default", module: "assay", build: () => "" })),
    });

    expect(() => needs.fromConfig({})).toThrow(
      /its option "build" is a function and cannot be written in YAML or JSON/,
    );
    expect(has.fromConfig({}).runnerInfo().config).toStrictEqual({ build: "assay#default" });
  });
});

describe("a definition that the compiler has not seen", () => {
  const whole = {
    name: "mine",
    description: "Mine.",
    needs: [],
    options: {},
    timeLimitS: () => null,
    trialIdSuffix: () => "mine",
    run: async () => ({ output: "" }),
  };

  it.each<[string, object, string]>([
    [
      "no time limit",
      { timeLimitS: undefined },
      'defineRunner "mine": timeLimitS must be a function',
    ],
    [
      "a suffix that is a text, and no name",
      { name: undefined, trialIdSuffix: "x" },
      "defineRunner: trialIdSuffix must be a function; name must be a string",
    ],
    ["no options", { options: undefined }, 'defineRunner "mine": options must be an object'],
    ["no needs", { needs: undefined }, 'defineRunner "mine": needs must be a list of strings'],
    [
      "an option without a role",
      { options: { model: z.string() } },
      'defineRunner "mine": options.model needs a role: shapes(...), operational(...) or credential(...)',
    ],
  ])("is refused with %s", (_what, change, message) => {
    expect(() => defineRunner({ ...whole, ...change } as never)).toThrow(
      expect.objectContaining({ code: "ASSAY_TARGET_INVALID", message }),
    );
  });
});
