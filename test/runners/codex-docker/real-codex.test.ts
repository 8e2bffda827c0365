import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";

import { startScriptedServer } from "../../../examples/coding-agent/scripted-server.mjs";
import type { AgentTaskRunner, Trial } from "../../../packages/assay/src/contracts/runner.ts";
import { codexRunner } from "../../../packages/assay/src/runners/codex/runner.ts";
import { codexDockerRunner } from "../../../packages/assay/src/runners/codex-docker/runner.ts";
import { testRunContext } from "../../../packages/assay/src/testing/run-context.ts";
import { testPlan } from "../../../packages/assay/src/testing/trial-plan.ts";
import { codexPath, itNeeds } from "../../support/tools.ts";
import {
  modelSecret,
  modelSecrets,
  type Step,
  scriptedSettings,
  sumOf,
  workInputs,
} from "../codex/scripted-model.ts";
import { codexImage } from "./node-image.ts";

const take: Step[] = [
  { run: "cat seed.txt > made.txt && echo more >> made.txt" },
  { run: "env | grep -c MODEL_KEY; exit 3" },
  { say: "It is done." },
];

itNeeds(
  ["codex", "docker"],
  "a real Codex solves a task in a container as it does on the host, and its tokens are counted",
  async () => {
    const image = codexImage();
    const inContainer = await runTrial((baseUrl) =>
      codexDockerRunner({
        ...scriptedSettings(baseUrl.replace("127.0.0.1", "host.docker.internal")),
        timeoutS: 60,
        image,
        codexPackage: null,
      }),
    );
    const onHost = await runTrial((baseUrl) =>
      codexRunner({
        ...scriptedSettings(baseUrl),
        timeoutS: 60,
        codexBin: codexPath() ?? "codex",
        sandbox: "danger-full-access",
      }),
    );

    expect(inContainer.error).toBeNull();
    expect(inContainer).toMatchObject({
      status: "completed",
      output: { outputText: "It is done." },
      metadata: { turns: 1, commands: 2, isolation: "container" },
    });
    for (const trial of [inContainer, onHost]) {
      const made = join(trial.evidence?.descriptors["final_state"]?.ref ?? "", "made.txt");
      expect(readFileSync(made, "utf8")).toBe("seed\nmore\n");
      expect(trial.measurements).toMatchObject({
        promptTokens: sumOf(take, "inputTokens"),
        completionTokens: sumOf(take, "outputTokens"),
        cacheReadTokens: sumOf(take, "cachedTokens"),
      });
      expect(trial.output?.outputText).toBe("It is done.");
    }
    const stdout = inContainer.evidence?.descriptors["stdout"]?.ref ?? "";
    // The agent's shell does not see the credential.
    expect(readFileSync(stdout, "utf8")).toContain('"aggregated_output":"0\\n"');
  },
  120_000,
);

async function runTrial(make: (baseUrl: string) => AgentTaskRunner): Promise<Trial> {
  const scripts = [{ title: "work", takes: [take] }];
  const server = await startScriptedServer({ scripts, apiKey: modelSecret, host: "0.0.0.0" });
  onTestFinished(() => server.close());
  const context = await testRunContext({
    secrets: modelSecrets,
    env: { CODEX_HOME: undefined, HOME: "/nonexistent" },
    limits: { graceMs: 5000 },
  });
  onTestFinished(() => context.dispose());
  const runner = make(server.url);
  await runner.probe?.(context);
  const trials: Trial[] = [];
  for await (const trial of runner.runTasks(testPlan([{ id: "t", inputs: workInputs }]), context))
    trials.push(trial);
  return trials[0] as Trial;
}
