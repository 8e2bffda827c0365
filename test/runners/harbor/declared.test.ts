import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";

import { nodeFileStore } from "../../../packages/assay/src/platform/files/node-file-store.ts";
import { directoryDigest } from "../../../packages/assay/src/runners/harbor/directory-digest.ts";
import { assay } from "../../cli/e2e/assay-process.ts";
import { folder, standInPath, writeTask } from "./harbor-kit.ts";

const suite = {
  name: "declared",
  tasks: ["one", "two"].map((name) => ({
    id: `acme/${name}`,
    intent: name,
    inputs: { instruction: `Do ${name}.` },
    metadata: { harbor_dataset_path: "ds" },
  })),
  metrics: [{ type: "harbor_reward" }],
  target: { kind: "harbor", agent_name: "nop", n_concurrent_trials: 1 },
};

describe("a suite without code that Harbor runs", () => {
  it("is run to its scores; what lies in a task's folder is part of the plan, and a resumed run holds it to that", async () => {
    const root = folder();
    for (const name of ["one", "two"]) writeTask(join(root, "ds"), name);
    writeFileSync(join(root, "suite.json"), JSON.stringify(suite));
    const env = { PATH: standInPath };
    const json = (file: string) => JSON.parse(readFileSync(join(root, file), "utf8"));

    const ended = await assay(["run", "suite.json", "--out", "run"], { cwd: root, env });

    expect([ended.exitCode, ended.stderr]).toStrictEqual([0, expect.anything()]);
    const rows = readFileSync(join(root, "run/trials.jsonl"), "utf8").trim().split("\n");
    expect(rows.map((row) => JSON.parse(row).metadata.reward)).toStrictEqual([1, 1]);
    expect(json("run/plan.json")).toMatchObject({
      content_digest: expect.stringMatching(/^assay-content-v1:/),
      resolved_digest: expect.any(String),
    });

    mkdirSync(join(root, "ds/two/tests"));
    writeFileSync(join(root, "ds/two/tests/test.sh"), "exit 1");
    const more = ["run", "suite.json", "--out", "run", "--resume", "--trials", "2"];
    const refused = await assay(more, { cwd: root, env });

    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain("content of");
  });
});

describe("a run that would be written into the folder of one of its tasks", () => {
  it.each([
    ["a given directory", ["--out", "task/run"], "."],
    ["a directory by another name", ["--out", "link/deep/run"], "."],
    ["the default one", [], "task"],
  ])("is refused before Harbor is asked: %s", async (_what, out, cwd) => {
    const root = folder();
    const place = writeTask(root, "task");
    symlinkSync("task", join(root, "link"));
    const text = JSON.stringify({
      ...suite,
      tasks: [{ ...suite.tasks[0], metadata: { harbor_task_dir: place } }],
    });
    for (const at of [root, place]) writeFileSync(join(at, "suite.json"), text);
    const before = readdirSync(place);

    const refused = await assay(["run", "suite.json", ...out], {
      cwd: join(root, cwd),
      env: { PATH: dirname(process.execPath) },
    });

    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/the output directory ".*" lies inside of ".*task"/);
    // Scratch of the tests lies below the working directory.
    expect(readdirSync(place).filter((name) => name !== ".cache")).toStrictEqual(before);
  });
});

it("doctor tells the version of a Harbor that lacks an engine, and what it lacks", async () => {
  const root = folder();
  const programs = join(root, "bin");
  mkdirSync(programs);
  symlinkSync(join(standInPath.split(delimiter)[0] ?? "", "harbor"), join(programs, "harbor"));
  symlinkSync(process.execPath, join(programs, "node"));

  const { stdout } = await assay(["doctor", "--json"], { cwd: root, env: { PATH: programs } });

  const { runners } = JSON.parse(stdout) as { runners: { name: string; problem: string }[] };
  expect(runners).toHaveLength(8);
  expect(runners.find(({ name }) => name === "harbor")?.problem).toMatch(
    /^Harbor 0\.26\.0 is here, and Docker executable 'docker' was not found on PATH/,
  );
});

describe("the digest of a folder", () => {
  /** A folder with a file, and one beside it that links lead to. */
  function tree() {
    const root = folder();
    const [inside, beside] = [join(root, "task"), join(root, "beside")];
    for (const place of [inside, join(inside, "jobs"), beside]) mkdirSync(place);
    writeFileSync(join(inside, "task.toml"), "");
    writeFileSync(join(beside, "lib.py"), "1");
    const digest = (without?: string) => directoryDigest(inside, nodeFileStore, without);
    return { root, inside, beside, digest };
  }

  it.each([
    ["a link to a folder", "beside"],
    ["a link to a file", "beside/lib.py"],
  ])("changes with what %s leads to", async (_what, target) => {
    const { root, inside, beside, digest } = tree();
    symlinkSync(join(root, target), join(inside, "link"));
    const before = await digest();
    writeFileSync(join(beside, "lib.py"), "2");
    expect(await digest()).not.toBe(before);
  });

  it("ends with links in a ring, to what is above, and to nowhere", async () => {
    const { root, inside, beside, digest } = tree();
    const links = [
      ["self", "."],
      ["up", ".."],
      ["all", "/"],
      ["gone", "nowhere"],
      ["out", beside],
    ];
    for (const [name = "", target = ""] of links) symlinkSync(target, join(inside, name));
    symlinkSync(inside, join(beside, "back"));
    const before = await digest();
    writeFileSync(join(root, "else"), "");
    expect(await digest()).toBe(before);
  });

  it("leaves out jobs that are kept in it, runs of its own, and what tools leave", async () => {
    const { inside, digest } = tree();
    const jobs = join(inside, "jobs");
    const before = await digest(jobs);
    for (const file of ["jobs/j/config.json", ".cache/assay/x", "__pycache__/a.pyc", ".git/HEAD"]) {
      mkdirSync(join(inside, file, ".."), { recursive: true });
      writeFileSync(join(inside, file), "x");
    }
    const changed = await digest(jobs);
    mkdirSync(join(inside, "node_modules"));
    expect(await digest(jobs)).not.toBe(changed);
    expect(changed).toBe(before);
  });
});
