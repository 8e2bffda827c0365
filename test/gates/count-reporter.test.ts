import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { repoRoot } from "../support/tools.ts";
import { linkModules, makeTree, type Tree } from "../support/trees.ts";

const suite = `
import { beforeAll, describe, expect, it } from "vitest";
import { defineTool, itNeeds, sharedFixtures } from ${JSON.stringify(join(repoRoot, "test/support/tools.ts"))};

defineTool("hammer", () => "no hammer is here");
it("passes", () => {});
it("fails", () => expect(1).toBe(2));
itNeeds("hammer", "drives a nail", () => { throw new Error("ran without a hammer"); });
it("reads a recording", () => { sharedFixtures("no/such/recording.json"); });
it.skip("is left out", () => {});
`;
const broken = `
import { beforeAll, it } from "vitest";
beforeAll(() => { throw new Error("the hook broke"); });
it("never starts", () => {});
`;

const unsteady = `
import { expect, it } from "vitest";
let tries = 0;
it("is unsteady", () => { tries += 1; expect(tries).toBe(2); });
it("fails each time", () => expect(1).toBe(2));
`;

let tree: Tree;

beforeAll(() => {
  tree = makeTree({ "a.test.ts": suite, "b.test.ts": broken, "c.test.ts": unsteady });
  linkModules(tree);
});

afterAll(() => tree.remove());

function run(file: string, required: string, ...flags: readonly string[]) {
  const result = spawnSync(
    process.execPath,
    [
      join(repoRoot, "node_modules/vitest/vitest.mjs"),
      ...["run", "--root", tree.root, "--reporter", join(repoRoot, "test/setup/count-reporter.ts")],
      file,
      ...flags,
    ],
    {
      cwd: tree.root,
      encoding: "utf8",
      env: {
        ...process.env,
        ASSAY_REQUIRE: required,
        ASSAY_TEST_COUNTS: join(tree.root, "counts.json"),
      },
    },
  );
  const counts: unknown = JSON.parse(readFileSync(join(tree.root, "counts.json"), "utf8"));
  return { ...result, counts };
}

it("each skipped test is printed under its reason, and the counts are written", () => {
  const result = run("a.test.ts", "");

  expect(result.counts).toEqual({
    ...{ passed: 1, failed: 1, skipped: 3, unexplained: 1, repeated: 0 },
    failures: [expect.stringMatching(/a\.test\.ts > fails: .*expected 1 to be 2/)],
  });
  expect(result.stdout).toMatch(/1 skipped: no hammer is here\n.*a\.test\.ts > drives a nail/);
  expect(result.stdout).toMatch(/1 skipped: \.\.\/shared.* is not here\n.*> reads a recording/);
  expect(result.stdout).toMatch(/1 skipped: no reason given\n.*> is left out/);
  expect(result.stdout).toContain("1 passed, 1 failed, 3 skipped");
});

it("ASSAY_REQUIRE turns the skip for a missing tool into a failure", () => {
  const result = run("a.test.ts", "hammer");

  expect(result.status).toBe(1);
  expect(result.counts).toMatchObject({ failed: 2, skipped: 2 });
});

it("a file whose hook breaks counts as a failure although no test of it failed", () => {
  const result = run("b.test.ts", "");

  expect(result.status).toBe(1);
  expect(result.counts).toMatchObject({
    ...{ passed: 0, failed: 1 },
    failures: [expect.stringMatching(/b\.test\.ts: the hook broke/)],
  });
});

it("a test that passed at the second try alone is told with what failed at first, and counted", () => {
  const result = run("c.test.ts", "", "--retry", "1");

  expect(result.status).toBe(1);
  expect(result.counts).toMatchObject({ passed: 1, failed: 1, repeated: 1 });
  expect(result.stdout).toMatch(
    /1 passed at the second try only; at first: expected 1 to be 2.*\n.*c\.test\.ts > is unsteady/,
  );
});
