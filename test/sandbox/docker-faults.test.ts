import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";

import { createNodePlatform } from "../../packages/assay/src/platform/node-platform.ts";
import { RunSandboxes } from "../../packages/assay/src/sandbox/run-sandboxes.ts";
import { newToken } from "../../packages/assay/src/support/ids.ts";
import { describeNeeds } from "../support/tools.ts";
import { baseImage, commandLines, type DockerKit, dockerKit } from "./docker-kit.ts";

const secret = "quiet-otter-parade-41";

it("an engine that does not answer is told before anything is run", async () => {
  const kit = dockerKit();
  const process = createNodePlatform({
    env: { PATH: globalThis.process.env["PATH"], DOCKER_HOST: "unix:///nonexistent/docker.sock" },
  }).process(kit.token);
  const sandboxes = new RunSandboxes({ ...kit.options, process });
  const asked = sandboxes.docker({ program: "docker", baseDir: "/" });
  if ((await process.find("docker")) === null) {
    await expect(asked).rejects.toMatchObject({ code: "ASSAY_TOOL_NOT_FOUND" });
  } else {
    await expect((await asked).facts()).rejects.toMatchObject({ code: "ASSAY_TOOL_UNUSABLE" });
  }
  await expect(sandboxes.docker({ program: "./docker", baseDir: "/" })).rejects.toMatchObject({
    code: "ASSAY_TOOL_NOT_FOUND",
    message: "Docker executable './docker' was not found",
  });
  await sandboxes.close();
});

describeNeeds("docker", "a container", () => {
  let kit: DockerKit;
  beforeAll(() => {
    kit = dockerKit();
  });
  afterAll(() => kit.dispose());

  it("gets secrets without their being in a command line, a file that stays, or its inspection", async () => {
    const image = await kit.provider.resolveImage(baseImage);
    const sandbox = await kit.provider.create({ image, trialId: "secret:0", env: { PLAIN: "1" } });
    const env = { SECRET_KEY: secret, TWO_LINES: `${secret}\n2` };
    const seen: string[] = [];
    const running = sandbox.exec({
      argv: ["sh", "-c", `echo "$SECRET_KEY"; read -r line`],
      env,
      stdout: { onLine: (line) => seen.push(line) },
      timeoutMs: 3000,
      graceMs: 0,
    });
    await vi.waitFor(() => expect(seen).toEqual([secret]), 10_000);
    expect(commandLines().filter((line) => line.includes(secret))).toEqual([]);
    const { stdout } = await kit.docker("inspect", sandbox.name);
    expect(stdout.text).toContain("PLAIN=1");
    expect(stdout.text).not.toContain(secret);
    await running;
    await sandbox.stop();
    expect(readdirSync(kit.directory).filter((name) => name.startsWith("env-"))).toEqual([]);
  }, 60_000);

  it("that cannot be started leaves nothing, and says why", async () => {
    const image = await kit.provider.resolveImage(baseImage);
    const create = (changes: object) =>
      kit.provider.create({ image, trialId: "broken:0", isRootReadOnly: true, ...changes });
    await expect(create({ user: "nobody-knows" })).rejects.toMatchObject({
      code: "ASSAY_SANDBOX_FAILED",
      message: expect.stringContaining("nobody-knows"),
    });
    await expect(
      create({ isRootReadOnly: false, limits: { diskBytes: 1024 ** 3 } }),
    ).rejects.toMatchObject({ remedy: expect.stringContaining("disk limit") });
    await expect(create({ workdir: "../etc" })).rejects.toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
    });
    await expect(create({ env: { "A=B": "1" } })).rejects.toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
    });
    expect(await kit.left()).toEqual([]);
  }, 60_000);

  it("that is being made when its provider is closed is removed", async () => {
    const image = await kit.provider.resolveImage(baseImage);
    const closing = kit.another();
    const making = closing.create({ image, trialId: "late:0" });
    // Whoever closes does not wait for it to be used.
    const closed = new Promise<void>((resolve) => setTimeout(resolve, 150)).then(() =>
      closing.close(),
    );
    await expect(making).rejects.toMatchObject({ code: "ASSAY_CANCELLED" });
    await closed;
    expect(await kit.left()).toEqual([]);
    await expect(closing.create({ image, trialId: "later:0" })).rejects.toMatchObject({
      code: "ASSAY_CANCELLED",
    });
  }, 60_000);

  it("whose engine goes away while it is made says so, and what may be left is told at the end", async () => {
    const broken = join(kit.directory, "docker");
    const gone = "Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?";
    const flag = join(kit.directory, "gone");
    writeFileSync(
      broken,
      `#!/bin/sh
if [ "$1" = run ]; then echo > ${flag}; echo "docker: ${gone}" >&2; exit 125; fi
if [ -e ${flag} ]; then echo "${gone}" >&2; exit 1; fi
exec ${kit.options.program} "$@"\n`,
      { mode: 0o755 },
    );
    const image = await kit.provider.resolveImage(baseImage);
    // Nobody waits for an engine that may come back.
    const clock = { ...kit.options.clock, sleep: async () => {} };
    const provider = kit.another({ program: broken, token: newToken(), clock });
    await expect(provider.create({ image, trialId: "gone:0" })).rejects.toMatchObject({
      code: "ASSAY_SANDBOX_FAILED",
      message: expect.stringMatching(/could not be started: .*Cannot connect/),
      remedy: "Start the Docker engine, and check DOCKER_HOST.",
    });
    await expect(provider.close()).rejects.toMatchObject({ code: "ASSAY_SANDBOX_FAILED" });
    rmSync(flag);
    await provider.close();
  }, 60_000);

  it("of an image without a shell is refused", async () => {
    writeFileSync(join(kit.directory, "Dockerfile"), "FROM scratch\nCOPY Dockerfile /\n");
    const image = await kit.provider.buildImage({ context: kit.directory });
    await expect(kit.provider.create({ image, trialId: "bare:0" })).rejects.toMatchObject({
      code: "ASSAY_SANDBOX_FAILED",
      remedy: "The image needs `sh` and `sleep`.",
    });
    await kit.docker("image", "rm", "--force", image.reference);
    expect(await kit.left()).toEqual([]);
  }, 60_000);
});
