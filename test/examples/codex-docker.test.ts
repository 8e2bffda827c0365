import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";

import { listModels, modelLines } from "../../examples/codex-docker/list-models.mjs";
import { selectRunner } from "../../examples/codex-docker/select-runner.ts";
import type { Step } from "../../examples/coding-agent/script-player.mjs";
import { startScriptedServer } from "../../examples/coding-agent/scripted-server.mjs";
import { readBundle } from "../../packages/assay/src/entries/bundle.ts";
import { assay, folder as folderOf } from "../cli/e2e/assay-process.ts";
import { codexImage } from "../runners/codex-docker/node-image.ts";
import { codexPath, itNeeds, repoRoot } from "../support/tools.ts";

const suite = join(repoRoot, "examples/codex-docker/codex-docker.eval.ts");
const text = "made in the sandbox";
const apiKey = "key-of-a-very-quiet-otter-41";
const file = "reports/2026/sanity.txt";
const make = (content: string): Step => ({
  run: `mkdir -p reports/2026 && printf '%s' '${content}' > ${file}`,
});

itNeeds(
  ["codex", "docker"],
  "files that a real Codex makes in a container reach the metric, and no key is in the bundle",
  async () => {
    const image = codexImage();
    const takes: Step[][] = [
      [make(text), { say: text }],
      [make(text), { say: "something else" }],
      [make("something else"), { say: text }],
    ];
    const scripts = [{ title: "nested file", takes }];
    const server = await startScriptedServer({ scripts, apiKey, host: "0.0.0.0" });
    onTestFinished(() => server.close());
    const folder = folderOf({});
    const url = server.url.replace("127.0.0.1", "host.docker.internal");
    const { exitCode, stderr } = await assay(
      [
        ...["run", suite, "--out", "bundle", "--trials", "3"],
        ...["-P", "model_server=scripted"],
        ...["--set", `target.image=${image}`, "--set", "target.codex_package=null"],
      ],
      {
        cwd: folder,
        env: {
          CODEX_DOCKER_BASE_URL: url,
          CODEX_DOCKER_API_KEY: apiKey,
          DOCKER_HOST: process.env["DOCKER_HOST"] ?? "",
        },
      },
    );

    expect(stderr).not.toContain("Error");
    expect(exitCode).toBe(0);
    const bundle = await readBundle(join(folder, "bundle"));
    const scores: string[] = [];
    for await (const { outputs } of bundle.scores)
      scores.push(outputs.map(({ value }) => String(value)).join(", "));
    expect(scores.toSorted()).toEqual(["false, true", "true, false", "true, true"]);
    expect(bundle.metadata?.labels).toEqual({
      scenario: "codex-docker-evidence-sanity",
      runner: "docker_cli",
    });
    expect(spawnSync("grep", ["-r", apiKey, folder]).status).toBe(1);
  },
  180_000,
);

it.each([
  ["docker", "  sk-abc", "docker_sandbox", "docker_sandbox"],
  ["docker", "other", "docker_cli", "codex_docker_cli"],
  ["docker", undefined, "docker_cli", "codex_docker_cli"],
  ["local", "sk-abc", "local_cli", "codex_cli"],
])("for %s with the key %j the runner is %s", (runtime, openAiKey, choice, name) => {
  const selected = selectRunner({ runtime, server: "openai", openAiKey });
  const { runnerInfo } = selected.target as { runnerInfo?: () => { name: string } };

  expect(selected.choice).toBe(choice);
  expect(runnerInfo?.call(selected.target).name).toBe(name);
});

it("another runtime, or another server, is refused by its name", () => {
  const given = { server: "openai", runtime: "podman", openAiKey: "" };
  expect(() => selectRunner(given)).toThrow('runtime is "podman"');
  expect(() => selectRunner({ ...given, server: "x" })).toThrow('model_server is "x"');
});

it("models are listed by priority, those that are hidden left out", () => {
  const models = [
    { slug: "low", display_name: "Low", visibility: "list", priority: 1 },
    { slug: "none", display_name: "none", visibility: "list" },
    { slug: "hidden", display_name: "Hidden", visibility: "hide", priority: 99 },
    { slug: "high", display_name: "High", visibility: "list", priority: 7 },
  ];
  expect(modelLines({ models })).toEqual(["high\tHigh", "low\tLow", "none"]);
  expect(() => modelLines({ models: "none" })).toThrow("no list of models");
  expect(() => modelLines(null)).toThrow("no list of models");
});

itNeeds("codex", "a real Codex is asked for its models", () => {
  expect(listModels(codexPath() ?? "")[0]).toMatch(/^\S+(\t.+)?$/);
  expect(() => listModels("/none/codex")).toThrow("could not be started");
});
