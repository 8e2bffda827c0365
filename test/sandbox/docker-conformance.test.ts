import { afterAll, beforeAll, expect, it } from "vitest";

import type { SandboxImage } from "../../packages/assay/src/contracts/sandbox.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { sandboxConformance } from "../../packages/assay/src/testing/sandbox-conformance.ts";
import { describeNeeds } from "../support/tools.ts";
import { baseImage, type DockerKit, dockerKit } from "./docker-kit.ts";

describeNeeds("docker", "the Docker provider", () => {
  let kit: DockerKit;
  let image: SandboxImage;
  beforeAll(async () => {
    kit = dockerKit();
    image = await kit.provider.resolveImage(baseImage);
  });
  afterAll(async () => {
    expect(await kit.left()).toEqual([]);
    await kit.dispose();
  });

  const checks = sandboxConformance({
    get provider() {
      return kit.provider;
    },
    get image() {
      return image;
    },
    get directory() {
      return kit.directory;
    },
    files: nodeFileStore,
    kill: async ({ name }) => void (await kit.docker("kill", name)),
    remove: async ({ name }) => void (await kit.docker("rm", "--force", name)),
  });
  for (const { name, run } of checks) it.concurrent(name, run, 60_000);
});
