import { tmpdir } from "node:os";
import { it } from "vitest";

import type { DockerSandboxOptions } from "../../../packages/assay/src/runners/docker-sandbox/index.ts";
import { dockerSandboxRunner } from "../../../packages/assay/src/runners/docker-sandbox/runner.ts";
import type {
  RunnerScenario,
  RunnerSubject,
} from "../../../packages/assay/src/testing/conformance/subject.ts";
import { runnerConformance } from "../../../packages/assay/src/testing/runner-conformance.ts";
import { agentsPeer, describeNeeds } from "../../support/tools.ts";
import { type ModelServer, type Step, startModelServer } from "./model-server.ts";
import { modelKey, settingsFor } from "./run-sandbox.ts";

/** Containers take their time on a machine that is busy with other tests. */
const withinMs = 90_000;
const tasks = [{ inputs: { instruction: "# work\n\nMend it.", files: { "a.txt": "a" } } }];
const secret = "quiet-otter-parade-41";
const shell = (command: string): Step => ({ calls: [{ name: "shell", arguments: { command } }] });
const outliving = "(trap '' TERM; sleep 600) >/dev/null 2>&1 & trap '' TERM";

interface Given extends DockerSandboxOptions {
  readonly steps: readonly Step[];
}

async function serve(steps: readonly Step[]): Promise<ModelServer> {
  return await startModelServer({ work: steps });
}

async function scenario({
  steps,
  ...options
}: Given): Promise<RunnerScenario & { server: ModelServer }> {
  const server = await serve(steps);
  return {
    runner: dockerSandboxRunner(settingsFor(server, { requestRetries: 0, ...options })),
    tasks,
    secrets: { OPENAI_API_KEY: modelKey },
    baseDir: agentsPeer,
    withinMs,
    cleanUp: () => server.close(),
    server,
  };
}

const subject: RunnerSubject<DockerSandboxOptions> = {
  name: "docker_sandbox",
  make: (options) => dockerSandboxRunner({ ...options }),
  optionMutations: {
    model: "another-model",
    instructions: "Do as you like.",
    baseUrl: "http://127.0.0.1:1/v1",
    api: "chat_completions",
    keyVariable: null,
    requestRetries: 0,
    maxTurns: 7,
    timeoutS: 30,
    image: "other:1",
    network: "bridge",
    memoryMib: 512,
    cpus: 0.5,
    maxProcesses: 100,
    diskMib: 512,
    dockerBin: "podman",
    parallelism: 7,
  },
  scenarios: {
    success: () => scenario({ steps: [shell("echo b > b.txt"), { say: "Done." }] }),
    badExit: () => scenario({ steps: [{ refuse: "No." }] }),
    timeout: () => scenario({ steps: [shell(`${outliving}; sleep 600`)], timeoutS: 6 }),
    cancel: async () => {
      const made = await scenario({ steps: [shell(outliving), { silence: true }] });
      // The first command of the first trial is done, and what it left lives.
      return { ...made, started: () => made.server.reached(4) };
    },
    hugeOutput: () => scenario({ steps: [{ say: "x".repeat(3 * 1024 * 1024) }] }),
    malformedOutput: () => scenario({ steps: [{ garbage: true }] }),
    missingTool: async () => ({ ...(await scenario({ steps: [] })), baseDir: tmpdir() }),
    secretEcho: async () => {
      const steps = [
        shell(`echo ${secret} | tee ${secret}.txt; echo ${modelKey} > key.txt`),
        { say: `It is ${secret}, and ${modelKey}.` },
      ];
      return {
        ...(await scenario({ steps })),
        secrets: { OPENAI_API_KEY: modelKey, OTHER: secret },
      };
    },
  },
};

describeNeeds(["docker", "openai-agents"], "docker_sandbox", () => {
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
