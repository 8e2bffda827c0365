import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type EvalResult, readBundle } from "assay";
import { callable } from "assay/runners";
import { describe, expect, it } from "vitest";
import { bench, constant, filesBelow, refusal, rowsOf, runTarget, tasks } from "./run-kit.ts";

const writer = callable({
  name: "writer",
  agent: ({ id }, { workspace }) => {
    writeFileSync(join(workspace, "out.txt"), id);
    return "yes";
  },
});

/** A run without a directory of its own. */
async function inMemory() {
  const here = bench();
  const result = await here.evaluator.run({
    tasks: tasks(3),
    metrics: [constant()],
    target: writer,
    config: { trialsPerTask: 2 },
  });
  return { ...here, result };
}

async function digestOf(dir: string): Promise<string> {
  return (await readBundle(dir)).bundleDigest;
}

describe("a run without a directory", () => {
  it("has its rows and summary all the same, and nothing where the caller works", async () => {
    const { result, root } = await inMemory();

    expect(result.summary.trialCount).toBe(6);
    expect((await rowsOf(result)).scores).toHaveLength(6);
    expect(filesBelow(root).every((path) => path.startsWith("scratch/"))).toBe(true);
  });

  it("is persisted byte for byte: the bundle has the digest that was told", async () => {
    const { result, root } = await inMemory();
    const before = filesBelow(result.workDir);

    const dir = await result.persist("kept");

    expect(dir).toBe(join(root, "kept"));
    expect(filesBelow(dir)).toEqual(before);
    for (const name of before)
      expect(readFileSync(join(dir, name)).equals(readFileSync(join(result.workDir, name)))).toBe(
        true,
      );
    expect(await digestOf(dir)).toBe(result.bundleDigest);
  });

  it("can be persisted to several places", async () => {
    const { result, root } = await inMemory();

    await result.persist(join(root, "one"));
    await result.persist(join(root, "deep/er/two"));

    expect(await digestOf(join(root, "one"))).toBe(await digestOf(join(root, "deep/er/two")));
  });

  it("needs to be told where to", async () => {
    const { result } = await inMemory();

    expect(await refusal(() => result.persist())).toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
      exitCode: 2,
    });
  });
});

describe("persisting", () => {
  it("to a place that holds a run is refused, the same run twice too", async () => {
    const { result, root } = await inMemory();
    const dir = join(root, "kept");
    await result.persist(dir);
    const before = snapshot(dir);
    const other = await inMemory();

    for (const attempt of [result, other.result]) {
      expect(await refusal(() => attempt.persist(dir))).toMatchObject({
        code: "ASSAY_OUTPUT_EXISTS",
        exitCode: 2,
      });
    }
    expect(snapshot(dir)).toEqual(before);
  });

  it("to a file is refused", async () => {
    const { result, root } = await inMemory();
    writeFileSync(join(root, "file"), "mine");

    expect(await refusal(() => result.persist(join(root, "file")))).toMatchObject({
      code: "ASSAY_OUTPUT_EXISTS",
    });
  });

  it("into the bundle itself is refused", async () => {
    const { result } = await inMemory();
    const before = filesBelow(result.workDir);

    expect(await refusal(() => result.persist(join(result.workDir, "copy")))).toMatchObject({
      code: "ASSAY_CONFIG_INVALID",
    });
    expect(filesBelow(result.workDir)).toEqual(before);
  });

  it("where it is already is nothing to do", async () => {
    const { result, workDir } = await runTarget(writer);

    expect(await result.persist()).toBe(workDir);
    expect(await result.persist(workDir)).toBe(workDir);
  });

  it("of a run with a directory makes a second bundle of the same digest", async () => {
    const { result, root } = await runTarget(writer);
    mkdirSync(join(root, "there"));

    const dir = await result.persist(join(root, "there"));

    expect(await digestOf(dir)).toBe(result.bundleDigest);
  });

  it("of a bundle that was read works as well", async () => {
    const { result, root } = await runTarget(writer);
    const read: EvalResult = await readBundle(result.workDir, { cwd: root });

    expect(await digestOf(await read.persist("again"))).toBe(result.bundleDigest);
  });
});

function snapshot(dir: string): [string, string][] {
  return filesBelow(dir).map((path) => [path, readFileSync(join(dir, path), "base64")]);
}
