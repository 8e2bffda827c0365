import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";

import { describeNeeds } from "../support/tools.ts";
import { baseImage, type DockerKit, dockerKit } from "./docker-kit.ts";

describeNeeds("docker", "images", () => {
  let kit: DockerKit;
  const tags: string[] = [];
  beforeAll(() => {
    kit = dockerKit();
  });
  afterAll(async () => {
    if (tags.length > 0) await kit.docker("image", "rm", "--force", ...tags);
    await kit.dispose();
  });

  function context(name: string, dockerfile: string): string {
    const folder = join(kit.directory, name);
    mkdirSync(folder);
    writeFileSync(join(folder, "Dockerfile"), dockerfile);
    return folder;
  }

  it("are resolved to what they mean now: a tag that moves gives another digest", async () => {
    const tag = `assay-test/moving:${kit.token.slice(0, 8)}`;
    tags.push(tag);
    const from = context("moving", `FROM ${baseImage}\nENV MOVED=1\n`);
    const built = await kit.provider.buildImage({ context: from });
    tags.push(built.reference);
    await kit.docker("tag", baseImage, tag);
    const before = await kit.provider.resolveImage(tag);
    await kit.docker("tag", built.reference, tag);
    const after = await kit.provider.resolveImage(tag);
    expect(before).toMatchObject({ reference: tag, registryDigest: null });
    expect(before.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect([after.digest, built.digest]).not.toContain(before.digest);
    const old = await kit.provider.create({ image: before, trialId: "t:0" });
    const { exitCode } = await old.exec({ argv: ["sh", "-c", `test -z "$MOVED"`] });
    expect(exitCode).toBe(0);
    await old.stop();
  }, 60_000);

  it("that are not here and cannot be fetched are named", async () => {
    await expect(kit.provider.resolveImage("localhost:1/no/such:image")).rejects.toMatchObject({
      code: "ASSAY_IMAGE_NOT_FOUND",
      message: expect.stringContaining('"localhost:1/no/such:image"'),
    });
    await expect(kit.provider.resolveImage("--privileged")).rejects.toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
    });
  }, 60_000);

  it("are built once for a content, and anew for another", async () => {
    const from = context("cached", `FROM ${baseImage}\nARG NAME\nCOPY . /given\n`);
    writeFileSync(join(from, "given.txt"), "1");
    const [first, second] = await Promise.all([
      kit.provider.buildImage({ context: from }),
      kit.provider.buildImage({ context: from }),
    ]);
    const again = await kit.another().buildImage({ context: from });
    expect([first?.isCached, second?.digest, again.digest, again.isCached]).toEqual([
      false,
      first?.digest,
      first?.digest,
      true,
    ]);
    chmodSync(join(from, "given.txt"), 0o755);
    const executable = await kit.provider.buildImage({ context: from });
    writeFileSync(join(from, "given.txt"), "2");
    const changed = await kit.provider.buildImage({ context: from });
    const named = await kit.provider.buildImage({ context: from, buildArgs: { NAME: "n" } });
    const images = [first, executable, changed, named];
    tags.push(...images.map(({ reference }) => reference));
    expect(new Set(images.map(({ contextDigest }) => contextDigest)).size).toBe(4);
    expect(images.map(({ isCached }) => isCached)).toEqual([false, false, false, false]);
  }, 60_000);

  it("that cannot be built show the last 40 lines of the build", async () => {
    const script = "i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo line-$i; done; exit 3";
    const from = context("failing", `FROM ${baseImage}\nRUN ${script}\n`);
    const thrown: unknown = await kit.provider.buildImage({ context: from }).catch((e) => e);
    expect(thrown).toMatchObject({ code: "ASSAY_IMAGE_BUILD_FAILED" });
    const lines = String((thrown as Error).message).split("\n");
    expect(lines.length).toBeLessThanOrEqual(42);
    expect(lines.some((line) => line.includes("line-100"))).toBe(true);
    expect(lines.some((line) => line.includes("line-50"))).toBe(false);
    const outside = { context: from, dockerfile: "../Dockerfile" };
    await expect(kit.provider.buildImage(outside)).rejects.toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
    });
  }, 60_000);
});
