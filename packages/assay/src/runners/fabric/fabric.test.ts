import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import { it } from "vitest";

import { describeNeeds } from "../../../../../test/support/tools.ts";
import type { JsonObject } from "../../support/json.ts";
import type { RunnerScenario, RunnerSubject } from "../../testing/conformance/subject.ts";
import { runnerConformance } from "../../testing/runner-conformance.ts";
import type { FabricOptions } from "./index.ts";
import { fabricRunner } from "./runner.ts";

const standIn = fileURLToPath(new URL("./fixtures/stand-in", import.meta.url));
/** Starting programs takes long on a machine that is busy with other tests. */
const withinMs = 60_000;
const tasks = [
  { inputs: { instruction: "Mend it", files: { "a.txt": "a" } } },
  { inputs: { instruction: "Say hello" } },
];

function usual(settings: JsonObject = {}): FabricOptions {
  return {
    config: {
      harness: { adapter_id: "stand-in", settings },
      models: { default: { provider: "openai", model: "openai/test" } },
    },
    captureTrajectory: false,
    inheritEnv: ["PYTHONPATH"],
  };
}

/** The stand-in for Fabric, told what its agent does. */
function scenario(settings: JsonObject, options: Partial<FabricOptions> = {}): RunnerScenario {
  const runner = fabricRunner({ ...usual(settings), ...options });
  return { runner, tasks, env: { PYTHONPATH: standIn }, withinMs };
}

const secrets = { QUIET: "quiet-otter-parade-41", OTHER: "péché mignon d'avril/&=" };

const subject: RunnerSubject<FabricOptions> = {
  name: "fabric",
  make: (options) => fabricRunner({ ...usual(), ...options }),
  optionMutations: {
    config: { harness: { adapter_id: "another" } },
    profiles: [{ instructions: { system: { content: "Be brief." } } }],
    model: "anthropic/another-model",
    timeoutS: 30,
    captureTrajectory: true,
    captureSpans: true,
    trajectoryExtra: { suite: "x" },
    skills: [{ name: "review", directory: "skills/review" }],
    env: { COLOR: "0" },
    inheritEnv: ["HTTPS_PROXY"],
    baseDir: "agents",
    parallelism: 7,
    python: "python3.11",
  },
  scenarios: {
    success: () => scenario({}),
    badExit: () => scenario({ behaviour: "dies" }),
    timeout: () => scenario({ behaviour: "never-ends" }, { timeoutS: 3 }),
    cancel: () => scenario({ behaviour: "never-ends" }),
    hugeOutput: () => scenario({ behaviour: "huge-output" }),
    malformedOutput: () => scenario({ behaviour: "garbage" }),
    missingTool: () => ({ ...scenario({}), env: { PATH: tmpdir() } }),
    secretEcho: () => ({
      ...scenario({ behaviour: "prints-secrets", secret_names: Object.keys(secrets) }),
      secrets,
    }),
  },
};

describeNeeds("python3", "fabric", () => {
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
