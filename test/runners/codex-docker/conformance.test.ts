import { tmpdir } from "node:os";
import { afterAll, beforeAll, expect, it } from "vitest";

import type { CodexDockerCliOptions } from "../../../packages/assay/src/runners/codex-docker/index.ts";
import { codexDockerRunner } from "../../../packages/assay/src/runners/codex-docker/runner.ts";
import type {
  RunnerScenario,
  RunnerSubject,
} from "../../../packages/assay/src/testing/conformance/subject.ts";
import { runnerConformance } from "../../../packages/assay/src/testing/runner-conformance.ts";
import { type DockerKit, dockerKit } from "../../sandbox/docker-kit.ts";
import { describeNeeds } from "../../support/tools.ts";
import { nodeImage } from "./node-image.ts";

/** Containers take their time on a machine that is busy with other tests. */
const withinMs = 240_000;
const env = { CODEX_HOME: "/nonexistent" };
const tasks = [{ inputs: { instruction: "Mend it", files: { "a.txt": "a" } } }];
/** What is read of Codex is read by code that codex_cli is tried with in the same way. */
const isSample = process.env["ASSAY_DOCKER_FULL"] === undefined;
const sampled = { skip: "a sample is run: ASSAY_DOCKER_FULL=1 runs all" };

describeNeeds("docker", "codex_docker_cli", () => {
  let kit: DockerKit;
  let image = "";
  beforeAll(async () => {
    kit = dockerKit();
    image = nodeImage();
  }, withinMs);
  afterAll(async () => {
    const format = '{{.Label "dev.assay.owner"}}';
    const { stdout } = await kit.docker("ps", "--all", "--format", format);
    expect(stdout.text).not.toMatch(new RegExp(`\\bpid=${process.pid}&`));
    await kit.dispose();
  });

  function scenario(behaviour: string, options: CodexDockerCliOptions = {}): RunnerScenario {
    const runner = codexDockerRunner({
      image,
      codexPackage: null,
      network: "none",
      ...options,
      env: { FAKE_CODEX: behaviour },
    });
    return { runner, tasks, env, withinMs };
  }

  const subject: RunnerSubject<CodexDockerCliOptions> = {
    name: "codex_docker_cli",
    make: (options) => codexDockerRunner({ ...options }),
    optionMutations: {
      model: "another-model",
      timeoutS: 30,
      image: "other:1",
      codexPackage: "@openai/codex@0.150.0",
      promptBuilder: { name: "short", build: () => "x" },
      network: "none",
      memoryMib: 512,
      cpus: 0.5,
      maxProcesses: 100,
      diskMib: 512,
      configOverrides: { model_provider: "other" },
      env: { COLOR: "0" },
      inheritEnv: ["HTTPS_PROXY"],
      dockerBin: "podman",
      authPath: "auth.json",
      parallelism: 7,
    },
    scenarios: {
      success: () => scenario("good", { codexPackage: "/opt/fake-codex" }),
      badExit: () => scenario("exit-3"),
      timeout: () => scenario("never-ends", { timeoutS: 4 }),
      cancel: () => scenario("never-ends"),
      hugeOutput: isSample ? sampled : () => scenario("huge-output"),
      malformedOutput: isSample ? sampled : () => scenario("garbage-only"),
      missingTool: () => ({ ...scenario("good"), env: { PATH: tmpdir() } }),
      secretEcho: () => ({
        ...scenario("prints-secrets"),
        secrets: { FAKE_CODEX_KEY: "quiet-otter-parade-41", OTHER: "péché mignon d'avril/&=" },
      }),
    },
  };

  for (const { name, skip, run } of runnerConformance(subject)) {
    it.concurrent(
      name,
      async (context) => {
        if (skip !== null) context.skip(skip);
        await run();
      },
      withinMs + 5000,
    );
  }
});
