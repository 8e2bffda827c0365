import { type RunnerScenario, type RunnerSubject, runnerConformance } from "assay/testing";
import { describe, it } from "vitest";
import { callableRunner } from "../../../packages/assay/src/runners/callable/runner.ts";
import { isolatedSuite } from "./isolated-suite.ts";

const tasks = [
  { inputs: { instruction: "Add 2 and 3", files: { "a.txt": "a" } } },
  { inputs: { instruction: "Add 1 and 1" } },
];

/** The suite with one of its agents, and how a process of its own runs it. */
async function scenario(agent: string, timeoutS = 60) {
  return { tasks, withinMs, ...(await isolatedSuite({ agent, timeoutS: String(timeoutS) })) };
}

/** Each trial loads the suite anew. */
const withinMs = 60_000;

const subject: RunnerSubject<Parameters<typeof callableRunner>[0]> = {
  name: "callable",
  make: (options) =>
    callableRunner({
      agentFn: { name: "agent", agent: () => "5" },
      isolation: "process",
      ...options,
    }),
  optionMutations: {
    agentFn: { name: "other", agent: () => "6" },
    isolation: "none",
    memoryLimitMb: 64,
    inheritEnv: ["HOME"],
    parallelism: 7,
    timeoutS: 30,
    trialIdSuffix: "again",
  },
  scenarios: {
    success: () => scenario("success"),
    badExit: () => scenario("badExit"),
    timeout: async () => ({ ...(await scenario("spin", 8)), tasks: tasks.slice(0, 1) }),
    cancel: () => scenario("spin"),
    hugeOutput: () => scenario("hugeOutput"),
    malformedOutput: () => scenario("malformed"),
    missingTool: { skip: "an agent function needs no tool" },
    secretEcho: async () => ({
      ...((await scenario("secretEcho")) satisfies RunnerScenario),
      tasks: tasks.slice(0, 1),
      secrets: { API_SECRET: "quiet-otter-parade-41", OTHER_SECRET: "péché mignon d'avril/&=" },
    }),
  },
};

describe("callable in a process of its own", () => {
  for (const { name, skip, run } of runnerConformance(subject)) {
    it(name, { timeout: withinMs }, async (context) => {
      if (skip !== null) context.skip(skip);
      await run();
    });
  }
});
