import { describe, expect, it } from "vitest";

import { composeConfig } from "../../../packages/assay/src/runners/fabric/config.ts";
import { fabricModel } from "../../../packages/assay/src/runners/fabric/facts.ts";
import type { FabricOptions } from "../../../packages/assay/src/runners/fabric/index.ts";
import { fabricRunner } from "../../../packages/assay/src/runners/fabric/runner.ts";
import type { JsonObject } from "../../../packages/assay/src/support/json.ts";

const places = {
  workspace: "/w/workspace",
  artifacts: "/w/artifacts",
  relay: "/w/relay",
  skills: [],
  marks: ["MARK"],
};

const defaults = {
  config: { harness: { adapter_id: "a" } },
  profiles: [],
  model: null,
  timeoutS: 600,
  captureTrajectory: false,
  captureSpans: false,
  trajectoryExtra: {},
};

const compose = (options: object, more: object = {}) =>
  composeConfig({ ...defaults, ...options }, { ...places, ...more }, "task-1");

describe("the model", () => {
  const scripted = { provider: "scripted", model: "m", base_url: "http://x", api_key_env: "KEY" };
  const configured = { config: { models: { default: scripted, judge: { model: "j" } } } };

  it.each<[string, string | null, object, JsonObject | undefined]>([
    [
      "a provider and a name",
      "anthropic/claude-x",
      {},
      { provider: "anthropic", model: "anthropic/claude-x" },
    ],
    ["a name alone", "gpt-x", {}, { provider: "openai", model: "gpt-x" }],
    ["a slash at the front", "/x", {}, { provider: "openai", model: "/x" }],
    ["a name for a configured provider", "other", configured, { ...scripted, model: "other" }],
    [
      "another provider, what else is configured stays",
      "p/other",
      configured,
      { ...scripted, provider: "p", model: "p/other" },
    ],
    ["none: what is configured", null, configured, scripted],
    ["none at all", null, {}, undefined],
  ])("%s", (_name, model, options, expected) => {
    const composed = compose({ ...options, model });
    expect((composed["models"] as JsonObject | undefined)?.["default"]).toEqual(expected);
  });

  it("is recorded alike, whichever option names it, with the option that does", () => {
    const byConfig = { models: { default: { provider: "openai", model: "openai/gpt-x" } } };
    const info = (options: FabricOptions) => fabricRunner(options).targetFacts?.().model;
    expect(info({ config: byConfig })).toEqual({
      name: "openai/gpt-x",
      setBy: ["config", "models", "default", "model"],
    });
    expect(info({ config: {}, model: "openai/gpt-x" })).toEqual({
      name: "openai/gpt-x",
      setBy: ["model"],
    });
    expect(info({ config: {}, profiles: [byConfig] })).toEqual({
      name: "openai/gpt-x",
      setBy: ["profiles"],
    });
    expect(fabricModel({ config: {}, profiles: [], model: null })).toBeNull();
  });
});

describe("what the evaluation sets", () => {
  it("wins over every profile; profiles are merged, the last one wins, lists are replaced", () => {
    const composed = compose({
      config: {
        harness: { adapter_id: "a", settings: { sandbox: "read-only", list: [1, 2], kept: 1 } },
        environment: { provider: "docker", workspace: "/mine", env: { A: "1" } },
      },
      profiles: [
        { harness: { settings: { sandbox: "first", list: [3] } } },
        {
          harness: { settings: { sandbox: "last" } },
          runtime: { artifacts: "/mine", max_turns: 3 },
        },
      ],
    });
    expect(composed).toEqual({
      metadata: { name: "assay" },
      harness: { adapter_id: "a", settings: { sandbox: "last", list: [3], kept: 1 } },
      environment: {
        provider: "docker",
        workspace: "/w/workspace",
        artifacts: "/w/artifacts",
        env: { A: "1" },
        env_names: ["MARK"],
      },
      runtime: { timeout_seconds: 600, max_turns: 3, artifacts: "/w/artifacts" },
    });
  });

  it("keeps a name, a time limit and skills that are configured, and adds to them", () => {
    const config = {
      metadata: { name: "mine" },
      runtime: { timeout_seconds: 5 },
      skills: { paths: ["mine"] },
    };
    expect(compose({ config }, { skills: ["/w/skill/review"] })).toMatchObject({
      metadata: { name: "mine" },
      runtime: { timeout_seconds: 5 },
      skills: { paths: ["mine", "/w/skill/review"] },
    });
  });

  it("adds Relay's files when trajectories are captured, beside what is configured for it", () => {
    const config = {
      telemetry: { providers: { native: { config: {} } } },
      relay: { project: "p", observability: { version: 4, atif: { model_name: "m" } } },
    };
    const trajectoryExtra = { suite: "s" };
    const composed = compose({ config, captureTrajectory: true, trajectoryExtra });
    expect(composed).toMatchObject({
      telemetry: { providers: { native: { config: {} }, relay: {} } },
      relay: {
        project: "p",
        output_dir: "/w/relay",
        observability: {
          version: 4,
          atof: { enabled: true, sinks: [{ type: "file", filename: "events.atof.jsonl" }] },
          atif: {
            enabled: true,
            model_name: "m",
            output_directory: "/w/relay",
            filename_template: "trajectory-{session_id}.atif.json",
            extra: { suite: "s", "nemo.optimizer.row_id": "task-1" },
          },
        },
      },
    });
    const spansAlone = compose({ config, captureSpans: true })["relay"];
    expect(spansAlone).toMatchObject({ output_dir: "/w/relay" });
    expect(spansAlone).not.toHaveProperty("observability.atof");
    expect(compose({})).not.toHaveProperty("relay");
  });

  it("touches no prototype", () => {
    const config = JSON.parse('{"__proto__": {"polluted": true}, "metadata": {"name": "x"}}');
    const profiles = [JSON.parse('{"__proto__": {"more": true}}')];
    compose({ config, profiles });
    expect({}).not.toHaveProperty("polluted");
    expect({}).not.toHaveProperty("more");
  });
});

it("a credential in the configuration is not recorded, and what else is there is", () => {
  const config = {
    harness: { adapter_id: "a", settings: { temperature: 0.5 } },
    environment: { env: { HF_TOKEN: "hf_should-not-be-seen", CACHE: "/c" } },
    models: { default: { provider: "p", model: "m", api_key: "sk-should-not-be-seen" } },
  };
  const recorded = fabricRunner({ config }).runnerInfo().config;
  expect(JSON.stringify(recorded)).not.toContain("should-not");
  expect(recorded).toMatchObject({
    config: {
      harness: { adapter_id: "a", settings: { temperature: 0.5 } },
      environment: { env: { HF_TOKEN: "<redacted>", CACHE: "/c" } },
    },
    timeout_s: 600,
    capture_trajectory: true,
    skills: [],
  });
});

it.each([
  [
    "the Codex adapter's own sandbox",
    { adapter_id: "nvidia.fabric.codex" },
    "os_sandbox",
    "codex read-only",
  ],
  [
    "which may be switched off",
    { adapter_id: "nvidia.fabric.codex", settings: { sandbox: "danger-full-access" } },
    "none",
    null,
  ],
  ["another harness", { adapter_id: "nvidia.fabric.claude" }, "none", null],
])("isolation: %s", (_name, harness, isolation, provider) => {
  const sandbox = fabricRunner({ config: { harness } }).targetFacts?.().sandbox;
  expect(sandbox).toMatchObject({ isolation, ...(provider === null ? {} : { provider }) });
});
