import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { repoRoot } from "../support/tools.ts";

const tracked = spawnSync("git", ["ls-files"], { cwd: repoRoot, encoding: "utf8" })
  .stdout.split("\n")
  .filter((path) => path !== "");

it("lockfiles name versions and digests, not the host they came from", () => {
  const naming = tracked
    .filter((path) => path.endsWith("package-lock.json"))
    .filter((path) => /"resolved": "https?:/.test(readFileSync(join(repoRoot, path), "utf8")));

  expect(naming).toEqual([]);
});

it("both licence files hold the same text", () => {
  const [root, packed] = ["LICENSE", "packages/assay/LICENSE"].map((path) =>
    readFileSync(join(repoRoot, path), "utf8"),
  );

  expect(packed).toBe(root);
});

it("run-time versions stay below the majors that need Node 22", () => {
  const manifest = JSON.parse(
    readFileSync(join(repoRoot, "packages/assay/package.json"), "utf8"),
  ) as { dependencies: Record<string, string> };

  expect(manifest.dependencies).toMatchObject({
    canonicalize: expect.stringMatching(/^\^4\./),
    commander: expect.stringMatching(/^\^14\./),
    execa: expect.stringMatching(/^\^9\./),
  });
});
