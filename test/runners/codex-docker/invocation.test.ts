import { expect, it } from "vitest";

import { codexDockerFacts } from "../../../packages/assay/src/runners/codex-docker/facts.ts";
import {
  type ContainerInputs,
  containerInvocation,
} from "../../../packages/assay/src/runners/codex-docker/invocation.ts";
import type { CodexDockerOptions } from "../../../packages/assay/src/runners/codex-docker/options.ts";
import { codexDockerRunner } from "../../../packages/assay/src/runners/codex-docker/runner.ts";

const options: CodexDockerOptions = {
  model: "m",
  timeoutS: 600,
  image: "node:22-alpine",
  codexPackage: "@openai/codex@0.171.0",
  promptBuilder: { name: "instruction", module: "assay", build: () => "" },
  network: "bridge",
  memoryMib: 512,
  cpus: null,
  maxProcesses: null,
  diskMib: null,
  configOverrides: {},
  env: { COLOR: "0" },
  inheritEnv: ["PROXY"],
  dockerBin: "docker",
  authPath: null,
  parallelism: null,
};

function invocationOf(inputs: Partial<ContainerInputs> = {}) {
  const given = { options, inherited: {}, secrets: {}, ...inputs };
  return containerInvocation(given);
}

it("npx runs the package by its version, and Codex reads the prompt from its input", () => {
  const { argv } = invocationOf();
  expect(argv.slice(0, 2)).toEqual(["sh", "-c"]);
  expect(argv.slice(3, 13)).toEqual([
    "sh",
    "npx",
    "-y",
    "@openai/codex@0.171.0",
    "exec",
    "--skip-git-repo-check",
    "--ephemeral",
    "--sandbox",
    "danger-full-access",
    "--cd",
  ]);
  expect(argv).toContain("--json");
  expect(argv.join(" ")).toContain("--output-last-message /assay/final_output.txt");
  expect(argv.join(" ")).toContain("--model m");
  expect(argv.at(-1)).toBe("-");
});

it("an image with Codex in it needs no npx", () => {
  const { argv } = invocationOf({ options: { ...options, codexPackage: null } });
  expect(argv.slice(4, 6)).toEqual(["codex", "exec"]);
});

it("its homes are its own, whatever the settings say", () => {
  const secrets = { MODEL_KEY: "quiet-otter-parade-41" };
  const inherited = { PROXY: "http://p" };
  expect(invocationOf({ inherited, secrets }).env).toEqual({
    HOME: "/assay/home",
    CODEX_HOME: "/assay/codex-home",
    COLOR: "0",
    ...inherited,
    ...secrets,
  });
});

it("a secret in a setting is refused, for any user of the machine can read a command line", () => {
  const inputs = {
    secrets: { KEY: "quiet-otter-parade-41" },
    options: { ...options, configOverrides: { a: "x quiet-otter-parade-41" } },
  };
  expect(() => invocationOf(inputs)).toThrow("the options of codex_docker_cli hold the value");
});

it.each([
  [{ codexPackage: "--version" }, "codex_package"],
  [{ configOverrides: { "a b": 1 } }, "config_overrides"],
  [{ env: { CODEX_HOME: "/x" } }, "CODEX_HOME"],
])("%j is refused at once", (given, text) => {
  expect(() => codexDockerRunner(given)).toThrow(text);
});

it("what a container is and may is told before any is made", () => {
  expect(codexDockerFacts(options).sandbox).toEqual({
    isolation: "container",
    provider: "docker",
    image: "node:22-alpine",
    imageDigest: { unknown: "no trial was run in it" },
    limits: { timeout_s: 600, memory_mib: 512, cpus: null, processes: null, disk_mib: null },
    network: "bridge",
  });
});
