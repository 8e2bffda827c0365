import { tmpdir } from "node:os";
import { type HarborRunnerOptions, harbor } from "assay/runners";
import { type RunnerScenario, type RunnerSubject, runnerConformance } from "assay/testing";
import { describe, it } from "vitest";

import { folder, standInPath, type TrialScript, taskOf, writeTask } from "./harbor-kit.ts";

/** Starting programs takes long on a machine that is busy with other tests. */
const withinMs = 60_000;
const env = { PATH: standInPath, DOCKER_CONFIG: undefined };

function scenario(script: TrialScript, options: HarborRunnerOptions = {}): RunnerScenario {
  const dataset = folder();
  const tasks = ["one", "two"].map((name) => taskOf(writeTask(dataset, name, [script]), name));
  return { runner: harbor(options), tasks, env, withinMs, hasErrorTypesOfBackend: true };
}

/** Options that go together with the one that is looked at. */
function completed(options: Partial<HarborRunnerOptions>): HarborRunnerOptions {
  if (options.runJob !== undefined) return { jobDir: "job", ...options };
  if (options.jobDir !== undefined) return options;
  return { agentImportPath: "agent.mine:Agent", jobsDir: "jobs", ...options };
}

const subject: RunnerSubject<HarborRunnerOptions> = {
  name: "harbor",
  make: (options = {}) => harbor(completed(options)),
  idsOfBackend: "Harbor names its trials by chance",
  optionMutations: {
    agentName: "nop",
    agentImportPath: "agent.other:Agent",
    agentDir: "agents/mine",
    agentModelName: "provider/model",
    agentKwargs: { temperature: 0.5 },
    agentEnvFromHost: ["SOME_KEY"],
    environmentType: "daytona",
    datasetPath: "dataset",
    taskNames: ["one"],
    nAttempts: 2,
    maxRetries: 1,
    timeoutMultiplier: 2,
    agentTimeoutMultiplier: 2,
    verifierTimeoutMultiplier: 2,
    agentSetupTimeoutMultiplier: 2,
    environmentBuildTimeoutMultiplier: 2,
    artifacts: ["/app/out", { source: "/app/log", destination: "log" }],
    traceDir: "/app/traces",
    rewardKey: "accuracy",
    inheritEnv: ["HTTPS_PROXY"],
    jobDir: "jobs/finished",
    runJob: { name: "make", run: async () => {} },
    jobsDir: "other-jobs",
    jobName: "pinned",
    forceRerun: true,
    quiet: false,
    harborBin: "other-harbor",
    nConcurrentTrials: 7,
  },
  scenarios: {
    success: () => scenario({}),
    badExit: () =>
      scenario({ result: { exception_info: { exception_type: "NonZeroAgentExitCodeError" } } }),
    timeout: { skip: "Harbor keeps the time of its agents, and names the error itself" },
    cancel: () => scenario({ hangs: true }),
    hugeOutput: () => scenario({ traceback_characters: 10_000_000 }),
    malformedOutput: () =>
      scenario({ result: { verifier_result: { rewards: { reward: "much" } } } }),
    missingTool: () => ({ ...scenario({}), env: { PATH: tmpdir() } }),
    secretEcho: () => ({
      ...scenario({ says_env: true }),
      secrets: { AGENT_KEY: "quiet-otter-parade-41", OTHER: "péché mignon d'avril/&=" },
    }),
  },
};

describe("harbor", () => {
  for (const { name, skip, run } of runnerConformance(subject)) {
    it(
      name,
      async (context) => {
        if (skip !== null) context.skip(skip);
        await run();
      },
      withinMs + 5000,
    );
  }
});
