import { defineRunner, namedFunction } from "assay/runners";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import {
  binding,
  configured,
  factoryOf,
  text,
  tool,
  typed,
} from "../../../../../test/support/option-runner.ts";
import { runTrials } from "../../../../../test/support/run-trials.ts";
import type { OptionOverride } from "../../contracts/runner.ts";
import { shapes } from "../../support/options.ts";

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
