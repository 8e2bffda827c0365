import { tmpdir } from "node:os";
import { describe, it } from "vitest";

import type { GymRunnerOptions } from "../../../packages/assay/src/runners/gym/index.ts";
import { gymRunner } from "../../../packages/assay/src/runners/gym/runner.ts";
import type {
  RunnerScenario,
  RunnerSubject,
} from "../../../packages/assay/src/testing/conformance/subject.ts";
import { runnerConformance } from "../../../packages/assay/src/testing/runner-conformance.ts";
import { type FakeRow, fakeRunner, gymTasks, notesFile } from "./run-gym.ts";

/** Starting the stand-in takes its time on a machine that is busy with other tests. */
const withinMs = 60_000;

function scenario(
  scene: Readonly<Record<string, unknown>> = {},
  row: FakeRow = {},
): RunnerScenario {
  const options = { shutdownGraceS: 1, startupTimeoutS: 50 };
  return { runner: fakeRunner({ scene, options }), tasks: gymTasks(row), withinMs };
}

const subject: RunnerSubject<GymRunnerOptions> = {
  name: "gym",
  make: (options = {}) => gymRunner({ agent: "simple_agent", resourcesServer: "mcqa", ...options }),
  optionMutations: {
    agent: "other_agent",
    resourcesServer: "other",
    agentConfig: "agent.yaml",
    bindResourcesServer: false,
    modelType: "openai_model",
    model: "other-model",
    modelUrl: "http://127.0.0.1:1/v1",
    apiKeySecret: "OTHER_KEY",
    hydraParams: { max_steps: 3 },
    envVars: { COLOR: "0" },
    inheritEnv: ["HTTPS_PROXY"],
    numRepeats: 3,
    rewardKey: "score",
    concurrency: 7,
    gymBin: "gym-2",
    gymRoot: "root",
    workDir: "kept",
    headServerPort: 11_000,
    startupTimeoutS: 30,
    collectionTimeoutS: 60,
    shutdownGraceS: 3,
  },
  scenarios: {
    success: () => scenario(),
    badExit: () => scenario({}, { noReward: true }),
    timeout: { skip: "Gym has no time limit of one trial; that of a collection makes no rows" },
    cancel: () => {
      const notes = notesFile();
      const isCollecting = async () => {
        while (!notes.has((note) => note.words[0] === "eval"))
          await new Promise((resolve) => setTimeout(resolve, 50));
      };
      const scene = { neverEndsAfter: 0, stubborn: true, leavesHelper: true, notes: notes.file };
      return { ...scenario(scene), started: isCollecting };
    },
    hugeOutput: { skip: "a rollout is one row, which is read whole or passed over" },
    malformedOutput: () => scenario({}, { reward: "<NaN>", says: "\u0000\ud800" }),
    missingTool: () => ({
      ...scenario(),
      runner: fakeRunner({ options: { gymBin: "gym" } }),
      env: { PATH: tmpdir() },
    }),
    secretEcho: () => ({
      ...scenario({ secret: "FAKE_KEY" }, { saysVariables: ["FAKE_KEY", "OTHER"] }),
      secrets: { FAKE_KEY: "quiet-otter-parade-41", OTHER: "péché mignon d'avril/&=" },
    }),
  },
};

describe("the runner gym keeps the contract", () => {
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
