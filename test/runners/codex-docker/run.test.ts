import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";

import type { Trial } from "../../../packages/assay/src/contracts/runner.ts";
import type { CodexDockerCliOptions } from "../../../packages/assay/src/runners/codex-docker/index.ts";
import { codexDockerRunner } from "../../../packages/assay/src/runners/codex-docker/runner.ts";
import {
  type TestRunContext,
  type TestRunContextOptions,
  testRunContext,
} from "../../../packages/assay/src/testing/run-context.ts";
import { testPlan } from "../../../packages/assay/src/testing/trial-plan.ts";
import { type DockerKit, dockerKit } from "../../sandbox/docker-kit.ts";
import { describeNeeds } from "../../support/tools.ts";
import { nodeImage } from "./node-image.ts";

const withinMs = 240_000;

describeNeeds("docker", "codex_docker_cli in a container", () => {
  let kit: DockerKit;
  let image = "";
  beforeAll(async () => {
    kit = dockerKit();
    image = nodeImage();
  }, withinMs);
  afterAll(() => kit.dispose());

  async function contextWith(options: TestRunContextOptions = {}): Promise<TestRunContext> {
    const env = { CODEX_HOME: "/nonexistent", ...options.env };
    const context = await testRunContext({ ...options, env });
    onTestFinished(() => context.dispose());
    return context;
  }

  async function run(
    behaviour: string,
    options: CodexDockerCliOptions = {},
    given: TestRunContextOptions = {},
  ) {
    const context = await contextWith(given);
    const runner = codexDockerRunner({
      image,
      codexPackage: null,
      network: "none",
      env: { FAKE_CODEX: behaviour },
      ...options,
    });
    const tool = await runner.probe?.(context);
    const inputs = { instruction: "Mend it", files: { "d/a.txt": "a" } };
    const trials: Trial[] = [];
    for await (const trial of runner.runTasks(testPlan([{ id: "t", inputs }]), context))
      trials.push(trial);
    return { tool, trial: trials[0] as Trial, context };
  }

  function fileOf({ evidence }: Trial, name: string, inner = ""): string {
    return join(evidence?.descriptors[name]?.ref ?? "", inner);
  }

  it(
    "records the image by its digest, its limits, and what the agent left as private files",
    async () => {
      const { tool, trial } = await run("leaves-links", {
        memoryMib: 256,
        cpus: 1,
        maxProcesses: 99,
      });
      const digest = tool?.resolved["image_digest"];

      expect(tool?.version).toBe("0.171.0");
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(trial.attempts?.[0]?.imageDigest).toBe(digest);
      expect(trial).toMatchObject({
        id: "t:codex",
        status: "completed",
        output: { outputText: "all done" },
        measurements: { promptTokens: 100, completionTokens: 7, cacheReadTokens: 64 },
        metadata: {
          runtime: "codex_docker_cli",
          isolation: "container",
          exit_code: 0,
          seeded_files: ["d/a.txt"],
          workspace_omitted: { outward_link: 2 },
          sandbox: {
            image,
            image_digest: digest,
            network: "none",
            limits: { memory_bytes: 256 * 2 ** 20, cpus: 1, processes: 99, disk_bytes: null },
          },
        },
      });
      const given = JSON.parse(readFileSync(fileOf(trial, "final_state", "given.json"), "utf8"));
      expect(given.argv.slice(0, 5)).toEqual([
        "exec",
        "--skip-git-repo-check",
        "--ephemeral",
        "--sandbox",
        "danger-full-access",
      ]);
      expect(given.prompt).toBe("Mend it");
      expect(statSync(fileOf(trial, "final_state", "d/a.txt")).mode & 0o777).toBe(0o600);
      expect(readFileSync(fileOf(trial, "final_state", "d/a.txt"), "utf8")).toBe("a");
    },
    withinMs,
  );

  it(
    "sees the login file read-only, and keeps it out of the evidence",
    async () => {
      const token = "tok-very-quiet-otter-1234567890";
      const auth = join(kit.directory, "auth.json");
      writeFileSync(auth, JSON.stringify({ tokens: { access_token: token } }), { mode: 0o600 });
      const command = [
        "cat /assay/codex-home/auth.json > /dev/null || exit 5",
        "! echo x 2>/dev/null > /assay/codex-home/auth.json || exit 6",
        'exec node /opt/fake-codex/codex.mjs "$@"',
      ];
      const folder = join(kit.directory, "checks-login");
      mkdirSync(folder);
      writeFileSync(join(folder, "codex"), `#!/bin/sh\n${command.join("\n")}\n`, { mode: 0o755 });
      writeFileSync(join(folder, "Dockerfile"), `FROM ${image}\nCOPY codex /usr/bin/codex\n`);
      const checking = await kit.provider.buildImage({ context: folder });
      const { tool, trial } = await run("good", { image: checking.reference, authPath: auth });

      expect(trial.status).toBe("completed");
      expect(tool?.secrets).toEqual({ "auth.json.tokens.access_token": token });
      expect(tool?.observed?.["auth_file"]).toBe(auth);
      expect(JSON.stringify(trial)).not.toContain(token);
    },
    withinMs,
  );

  it(
    "tells want of memory, and a container that is lost, from an agent that ends badly",
    async () => {
      const greedy = `const kept = []; for (;;) kept.push(Buffer.alloc(1 << 22, 1));`;
      const folder = join(kit.directory, "greedy");
      mkdirSync(folder);
      const script = `#!/bin/sh\n[ "$1" = --version ] && { echo codex 1.2.3; exit 0; }\nnode -e '${greedy}'\n`;
      writeFileSync(join(folder, "codex"), script, { mode: 0o755 });
      writeFileSync(join(folder, "Dockerfile"), `FROM ${image}\nCOPY codex /usr/bin/codex\n`);
      const { reference } = await kit.provider.buildImage({ context: folder });
      const { trial } = await run("good", { image: reference, memoryMib: 128 });
      expect(trial).toMatchObject({
        status: "partial",
        error: { type: "AgentExitError", message: expect.stringContaining("128 MiB") },
      });
    },
    withinMs,
  );

  it.each<[string, CodexDockerCliOptions, string, string]>([
    ["an image that is not there", { image: "localhost:1/no:1" }, "ASSAY_IMAGE_NOT_FOUND", "no:1"],
    ["a package that is not there", { codexPackage: "/opt/none" }, "ASSAY_TOOL_UNUSABLE", "npx -y"],
    [
      "a login file that is not there",
      { authPath: "/none/auth.json" },
      "ASSAY_TOOL_UNUSABLE",
      "not there",
    ],
    ["a login file that is a folder", { authPath: "/tmp" }, "ASSAY_TOOL_UNUSABLE", "is no file"],
    [
      "a setting that names a secret",
      { configOverrides: { a: "${KEY}" } },
      "ASSAY_CONFIG_INVALID",
      "KEY",
    ],
  ])(
    "%s is told before the first trial",
    async (_what, options, code, text) => {
      const running = run("good", options, { secrets: { KEY: "quiet-otter-parade-41" } });
      await expect(running).rejects.toMatchObject({ code, message: expect.stringContaining(text) });
    },
    withinMs,
  );
});
