import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";

import { startScriptedServer } from "../../../examples/coding-agent/scripted-server.mjs";
import type { Trial } from "../../../packages/assay/src/contracts/runner.ts";
import type { FabricOptions } from "../../../packages/assay/src/runners/fabric/index.ts";
import { parseTrajectory } from "../../../packages/assay/src/trajectory/read-trajectory.ts";
import { fabricPython, itNeeds, repoRoot } from "../../support/tools.ts";
import { modelSecrets, type Step, sumOf, workInputs } from "../codex/scripted-model.ts";
import { evidencePath, only, runFabric } from "./run-fabric.ts";

const timeoutMs = 180_000;
const here = join(repoRoot, "test/runners/fabric");
/** Without the stand-in. */
const env = { PYTHONPATH: undefined };

const config = {
  harness: { adapter_id: "assay.test.scripted" },
  discovery: { local_paths: ["adapter/scripted.fabric-adapter.json"] },
  models: { default: { provider: "openai", model: "openai/none" } },
};
const scripted: FabricOptions = {
  python: fabricPython(),
  config,
  baseDir: here,
  captureTrajectory: false,
};

itNeeds(
  "fabric",
  "a real Fabric runs an adapter of our own: success, failure, crash and time limit",
  async () => {
    const inputs = ["hello", "fail", "crash", "sleep"];
    const tasks = inputs.map((instruction) => ({ inputs: { instruction } }));
    const run = await runFabric({ ...scripted, timeoutS: 15 }, { tasks, env, concurrency: 4 });
    const [hello, fail, crash, sleep] = inputs.map((_input, index) =>
      run.trials.find(({ taskId }) => taskId === `task-${index + 1}`),
    );

    expect(hello?.error).toBeNull();
    expect(hello).toMatchObject({
      status: "completed",
      output: { outputText: "hello" },
      measurements: { promptTokens: 3, completionTokens: 4, totalTokens: 7 },
      metadata: { adapter_id: "assay.test.scripted", adapter_kind: "process" },
    });
    expect(fail).toMatchObject({
      status: "partial",
      output: { outputText: "half" },
      error: { type: "AgentExitError", message: expect.stringContaining("as it was told") },
      metadata: { fabric_error: { stage: "invoke", code: "scripted_failure" } },
    });
    expect(crash).toMatchObject({
      status: "partial",
      error: { type: "AgentExitError", message: expect.stringContaining("dying as it was told") },
      metadata: { fabric_error: { stage: "invoke", code: "host_crashed" } },
    });
    expect(sleep).toMatchObject({ status: "partial", error: { type: "TimeoutError" } });
    expect(run.leftBehind).toBe(0);
    expect(run.tool).toMatchObject({
      version: "0.5.0",
      resolved: {
        adapter_contract: "fabric.adapter/v1alpha2",
        adapter_script_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        packages: { "nemo-fabric": "0.5.0" },
      },
    });
    if (hello === undefined) throw new Error("no trial");
    const made = readFileSync(join(evidencePath(hello, "final_state"), "made.txt"), "utf8");
    expect(made).toBe("made\n");
  },
  timeoutMs,
);

itNeeds(
  "fabric",
  "a real Fabric refuses what it cannot run before any trial",
  async () => {
    const withRelay = runFabric({ ...scripted, captureTrajectory: true }, { env });
    await expect(withRelay).rejects.toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
      remedy: expect.stringContaining("capture_trajectory"),
    });
    const absent = { ...config, harness: { adapter_id: "nvidia.fabric.claude" } };
    await expect(runFabric({ ...scripted, config: absent }, { env })).rejects.toMatchObject({
      code: "ASSAY_TOOL_NOT_FOUND",
      message: expect.stringContaining("unknown adapter `nvidia.fabric.claude`"),
    });
    const skills = [{ name: "say-hello", directory: join(here, "skill/say-hello") }];
    await expect(runFabric({ ...scripted, skills }, { env })).rejects.toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
      message: expect.stringContaining("skill"),
    });
  },
  timeoutMs,
);

async function codexOptions(take: readonly Step[]): Promise<FabricOptions> {
  const scripts = [{ title: "work", takes: [[...take]] }];
  const server = await startScriptedServer({ scripts, apiKey: modelSecrets.MODEL_KEY });
  onTestFinished(() => server.close());
  return {
    python: fabricPython(),
    config: {
      harness: {
        adapter_id: "nvidia.fabric.codex",
        settings: {
          sandbox: "danger-full-access",
          config_overrides: {
            "model_providers.scripted.request_max_retries": 0,
            "model_providers.scripted.stream_max_retries": 0,
            "features.unbounded_connection_retries": false,
            "shell_environment_policy.ignore_default_excludes": false,
            "features.shell_snapshot": false,
          },
        },
      },
      models: {
        default: {
          provider: "scripted",
          model: "scripted-model",
          base_url: server.url,
          api_key_env: "MODEL_KEY",
        },
      },
    },
    timeoutS: 100,
  };
}

async function runCodex(take: readonly Step[], options: Partial<FabricOptions> = {}) {
  const whole = { ...(await codexOptions(take)), ...options };
  const tasks = [{ inputs: workInputs }];
  return await runFabric(whole, { tasks, env, secrets: modelSecrets });
}

itNeeds(
  "fabric",
  "a real Codex works through a real Fabric: its tokens are those that the server counted, and its trajectory is kept",
  async () => {
    const take: Step[] = [
      { run: "cat seed.txt > made.txt; env | cut -d= -f1 | sort > names.txt" },
      { say: "It is done." },
    ];
    const skills = [{ name: "say-hello", directory: join(here, "skill/say-hello") }];
    const run = await runCodex(take, { skills, captureSpans: true });
    const trial = only(run);

    expect(trial.error).toBeNull();
    expect(trial).toMatchObject({
      status: "completed",
      output: { outputText: "It is done." },
      measurements: {
        promptTokens: sumOf(take, "inputTokens"),
        completionTokens: sumOf(take, "outputTokens"),
        cacheReadTokens: sumOf(take, "cachedTokens"),
      },
      metadata: {
        adapter_id: "nvidia.fabric.codex",
        agent_model: "scripted-model",
        trace_format: "atif",
        skills: [{ name: "say-hello", mode: "native", adapter_id: "nvidia.fabric.codex" }],
      },
    });
    const workspace = evidencePath(trial, "final_state");
    expect(readFileSync(join(workspace, "made.txt"), "utf8")).toBe("seed\n");
    const names = readFileSync(join(workspace, "names.txt"), "utf8").split("\n");
    expect(names).toContain("ASSAY_RUN_MARK");
    expect(names).not.toContain("MODEL_KEY");
    expectTrajectories(trial);
    expect(run.leftBehind).toBe(0);
  },
  timeoutMs,
);

function expectTrajectories(trial: Trial): void {
  const source = { format: "atif", source: "trace" } as const;
  const trace = parseTrajectory(readFileSync(evidencePath(trial, "trace")), source);
  expect(trace.agent.name).toBe("fabric");
  expect(trace.toolCalls.map(({ name }) => name)).toEqual(["exec_command"]);
  expect(trace.finalMessage).toBe("It is done.");
  const spans = readFileSync(evidencePath(trial, "trace:otlp"));
  const read = parseTrajectory(spans, { format: "otlp", source: "trace:otlp" });
  expect(read.steps.length).toBeGreaterThan(0);
}

itNeeds(
  "fabric",
  "a busy model server costs an attempt, and one that takes no credential fails the trial",
  async () => {
    const busy: Step[] = [{ status: 429, message: "slow down", times: 1 }, { say: "Done." }];
    const trial = only(await runCodex(busy, { captureTrajectory: false }));
    expect(trial.status).toBe("completed");
    expect(trial.attempts).toMatchObject([{ errorType: "RateLimited" }, { errorType: null }]);

    const options = await codexOptions([{ say: "never" }]);
    const secrets = { MODEL_KEY: "sk-another-key-0123" };
    const run = await runFabric(
      { ...options, captureTrajectory: false },
      {
        tasks: [{ inputs: workInputs }],
        env,
        secrets,
      },
    );
    expect(only(run)).toMatchObject({ status: "failed", error: { type: "MissingCredential" } });
  },
  timeoutMs,
);
