import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";

import { assay, folder } from "../../cli/e2e/assay-process.ts";
import { baseImage, dockerKit } from "../../sandbox/docker-kit.ts";
import { itNeeds } from "../../support/tools.ts";
import { makeTree } from "../../support/trees.ts";

const tag = "assay-test/moved:tag";
/** A stand-in for Codex that needs nothing but a shell. */
const codex = `#!/bin/sh
[ "$1" = --version ] && { echo codex-cli 1.2.3; exit 0; }
while [ $# -gt 0 ]; do [ "$1" = --output-last-message ] && printf done > "$2"; shift; done
echo '{"type":"turn.completed","usage":{"input_tokens":3,"output_tokens":1}}'
`;
const suite = `
import { defineSuite } from "assay";
import { exactMatch } from "assay/metrics";
import { codexDockerCli } from "assay/runners";
export default defineSuite({
  name: "moved",
  tasks: [{ id: "t", intent: "says done", inputs: { instruction: "Say done" } }],
  metrics: [exactMatch({ reference: "done" })],
  target: codexDockerCli({
    image: ${JSON.stringify(tag)}, codexPackage: null, network: "none", memoryMib: 128, cpus: 1, authPath: null,
  }),
});`;

itNeeds(
  "docker",
  "a tag that moved between two runs changes what they are made of, and diff names it",
  async () => {
    const kit = dockerKit();
    onTestFinished(() => kit.dispose());
    onTestFinished(() => void kit.docker("rmi", tag));
    const cwd = folder({ "moved.eval.ts": suite });
    const env = { DOCKER_HOST: process.env["DOCKER_HOST"] ?? "", CODEX_HOME: "/nonexistent" };
    const digests: string[] = [];
    for (const name of ["a", "b"]) {
      const image = makeTree({
        codex,
        Dockerfile: `FROM ${baseImage}\nCOPY codex /bin/codex\nENV BUILD=${name}\n`,
      });
      chmodSync(join(image.root, "codex"), 0o755);
      const { reference, digest } = await kit.provider.buildImage({ context: image.root });
      image.remove();
      await kit.docker("tag", reference, tag);
      digests.push(digest);
      const ran = await assay(["run", "moved.eval.ts", "--out", name], { cwd, env });
      expect(ran.exitCode, ran.stderr).toBe(0);
      const { predicate } = JSON.parse(readFileSync(join(cwd, name, "provenance.json"), "utf8"));
      expect(predicate.sandbox).toMatchObject({
        isolation: "container",
        provider: "docker",
        image: tag,
        image_digest: [digest],
        limits: { memory_mib: 128, cpus: 1 },
        network: "none",
      });
    }
    const { exitCode, stdout } = await assay(["diff", "a", "b"], { cwd, env });
    const resumed = await assay(
      ["run", "moved.eval.ts", "--out", "a", "--resume", "--trials", "2"],
      {
        cwd,
        env,
      },
    );

    expect(exitCode).toBe(0);
    for (const digest of digests) expect(stdout).toContain(digest.slice(0, 19));
    // A run does not go on in another image unseen.
    expect(resumed.exitCode).toBe(2);
    expect(resumed.stderr).toContain("image_digest");
  },
  180_000,
);
