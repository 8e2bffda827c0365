import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, it } from "vitest";

import type { RunnerScenario, RunnerSubject } from "../../testing/conformance/subject.ts";
import { runnerConformance } from "../../testing/runner-conformance.ts";
import type { CodexCliOptions } from "./index.ts";
import { codexRunner } from "./runner.ts";

const fakeTool = fileURLToPath(new URL("./fixtures/fake-tools/codex.mjs", import.meta.url));
const bin = mkdtempSync(join(tmpdir(), "assay-fake-codex-"));
symlinkSync(fakeTool, join(bin, "codex"));
afterAll(() => rmSync(bin, { recursive: true, force: true }));

/** Starting programs takes long on a machine that is busy with other tests. */
const withinMs = 60_000;
const env = {
  PATH: [bin, process.env["PATH"] ?? ""].join(delimiter),
  CODEX_HOME: undefined,
};
const tasks = [
  { inputs: { instruction: "Mend it", files: { "a.txt": "a" } } },
  { inputs: { instruction: "Say hello" } },
];

/** The stand-in for Codex on PATH, told what to do. */
function scenario(behaviour: string, options: CodexCliOptions = {}): RunnerScenario {
  const runner = codexRunner({ ...options, env: { FAKE_CODEX: behaviour } });
  return { runner, tasks, env, withinMs };
}

const subject: RunnerSubject<CodexCliOptions> = {
  name: "codex_cli",
  make: (options) => codexRunner({ ...options }),
  optionMutations: {
    model: "another-model",
    timeoutS: 30,
    codexBin: "other-codex",
    promptBuilder: { name: "short", build: () => "x" },
    sandbox: "read-only",
    networkAccess: true,
    configOverrides: { model_provider: "other" },
    env: { COLOR: "0" },
    inheritEnv: ["HTTPS_PROXY"],
    codexHome: "other-home",
    parallelism: 7,
  },
  scenarios: {
    success: () => scenario("good"),
    badExit: () => scenario("exit-3"),
    timeout: () => scenario("never-ends", { timeoutS: 2 }),
    cancel: () => scenario("never-ends"),
    hugeOutput: () => scenario("huge-output"),
    malformedOutput: () => scenario("garbage-only"),
    missingTool: () => ({ ...scenario("good"), env: { PATH: tmpdir() } }),
    secretEcho: () => ({
      ...scenario("prints-secrets"),
      secrets: { FAKE_CODEX_KEY: "quiet-otter-parade-41", OTHER: "péché mignon d'avril/&=" },
    }),
  },
};

describe("codex_cli", () => {
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
