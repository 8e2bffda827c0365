//#region subject
import { delimiter, join } from "node:path";
import type { RunnerScenario, RunnerSubject } from "assay/testing";

import { echoAgent } from "./echo-agent.examples.ts";

type Options = Parameters<typeof echoAgent>[0];

const standIns = join(import.meta.dirname, "stand-ins");
const env = { PATH: [standIns, process.env["PATH"]].join(delimiter) };

/** A scenario in which the stand-in program behaves as the model says. */
function scenario(model: string, options: Partial<Options> = {}): RunnerScenario {
  const runner = echoAgent({ model, ...options });
  return { runner, tasks: [{ inputs: { instruction: "Add 2 and 3" } }], env };
}

export const echoSubject: RunnerSubject<Options> = {
  name: "echo_agent",
  make: (options) => echoAgent({ model: "good", ...options }),
  optionMutations: {
    model: "other",
    timeoutS: 5,
    command: "echo-agent-2",
    apiKey: "k3-quiet-otter",
  },
  scenarios: {
    success: () => scenario("good"),
    badExit: () => scenario("exits"),
    timeout: () => scenario("deaf", { timeoutS: 1 }),
    cancel: () => scenario("deaf"),
    hugeOutput: () => ({ ...scenario("huge"), maxBytes: 6 * 1024 * 1024 }),
    malformedOutput: () => scenario("garbled"),
    missingTool: () => scenario("good", { command: "no-such-program" }),
    secretEcho: () => ({
      ...scenario("leaky", { apiKey: "k3-quiet-otter-parade" }),
      secrets: { ECHO_API_KEY: "k3-quiet-otter-parade" },
    }),
  },
};
//#endregion subject
