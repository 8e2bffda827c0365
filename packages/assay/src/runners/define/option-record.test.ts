import { namedFunction } from "assay/runners";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { binding, configured, factoryOf } from "../../../../../test/support/option-runner.ts";
import { dataMap, jsonObject } from "../../schema/free-form.ts";
import { shapes } from "../../support/options.ts";

describe("the record of the options", () => {
  it("leaves what does not shape results out of the part that is digested", () => {
    const { config, shaping, roles } = configured({});

    const shape = ["env", "is_verbose", "limits", "model", "skills", "timeout_s"];
    expect(Object.keys(shaping)).toStrictEqual(shape);
    expect(Object.keys(config)).toStrictEqual(["api_key", "command", ...shape]);
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
