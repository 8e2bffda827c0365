import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineSuite, type EvalResult } from "assay";
import { readBundle, readProvenance } from "assay/bundle";
import { metricFromConfig } from "assay/metrics";
import { describe, expect, it } from "vitest";

import { nodeEngine } from "../../packages/assay/src/engine/node-engine.ts";
import { resolveSuite } from "../../packages/assay/src/engine/suite/resolve-suite.ts";
import { sha256Hex } from "../../packages/assay/src/support/digest.ts";
import { foreignBundle } from "../bundle/foreign-bundle.ts";
import { suiteOf } from "./rescore-kit.ts";
import {
  bench,
  completed,
  constant,
  places,
  refusal,
  rowsOf,
  runner,
  runTarget,
  storedDocument,
  task,
} from "./run-kit.ts";

/** A run of two trials per task, given in reverse; each leaves a file as evidence. */
async function sourceRun() {
  const target = runner(
    async function* (plan, { scratch }) {
      for (const { taskId, trialIndex } of places(plan).reverse()) {
        const out = join(scratch, `${taskId}-${trialIndex}`);
        mkdirSync(out);
        writeFileSync(join(out, "answer.txt"), `${taskId} ${trialIndex}`);
        const blank = { data: null, description: null, metadata: {}, format: "dir" };
        const descriptors = { final_state: { kind: "filesystem", ref: out, ...blank } };
        const id = `${taskId}/${trialIndex}`;
        yield completed(taskId, trialIndex, { id, evidence: { descriptors, metadata: {} } });
      }
    },
    { config: { model: "m-1" }, probe: async () => ({ version: "9.9", resolved: {} }) },
  );
  const tasks = [task("a"), task("b")];
  return await runTarget(target, { tasks, config: { trialsPerTask: 2 } });
}

/** Scores what a suite in `dir` imports. */
async function importing(importedTrials: unknown, dir?: string, taskIds = ["a", "b"]) {
  const here = bench();
  const { files } = await nodeEngine({ env: {}, cwd: here.root });
  const metrics = [
    constant(0.5),
    await metricFromConfig({ type: "command-verifier", command: ["test", "-e", "answer.txt"] }),
  ];
  const definition = {
    name: "again",
    tasks: taskIds.map((id) => task(id)),
    metrics,
    importedTrials,
  };
  const suite = await resolveSuite(defineSuite(definition as never), {
    baseName: "again",
    baseDir: dir ?? here.root,
    files,
    metricFromConfig,
  });
  return { ...here, result: await here.evaluator.runSuite(suite, { workDir: here.workDir }) };
}

async function again({ workDir: source }: { readonly workDir: string }, taskIds = ["a", "b"]) {
  const { evaluator, root, workDir } = bench();
  const tasks = taskIds.map((id) => task(id));
  const result = await evaluator.rescore(source, await suiteOf(root, tasks, [constant()]), {
    workDir,
  });
  return { workDir, result };
}

function parentsOf(dir: string) {
  const { predicate } = storedDocument(dir, "provenance.json") as never as {
    readonly predicate: { readonly parents: readonly object[] };
  };
  return predicate.parents;
}

const ran = { name: "stand_in", version: "9.9", config: { model: "m-1" } };
const parentOf = (relation: string, { runId, bundleDigest }: EvalResult, target: object) => ({
  relation,
  run_id: runId,
  bundle_digest: bundleDigest,
  target,
  digests: { settings: expect.stringContaining("sha256:"), plan: expect.any(String) },
});

describe("trials that a suite imports from a bundle", () => {
  it.each(["run", "run/trials.jsonl"])(
    "named as %s keep order, ids and evidence, and name the run that they come from",
    async (jsonl) => {
      const source = await sourceRun();

      const { result, workDir } = await importing({ jsonl }, source.root);

      const { trials, scores } = await rowsOf(result);
      expect(trials.map(({ id }) => id).sort()).toEqual(["a/0", "a/1", "b/0", "b/1"]);
      const verified = scores.filter(({ metricType }) => metricType === "command-verifier");
      expect(verified.map(({ outputs }) => outputs[0]?.value)).toEqual([1, 1, 1, 1]);
      const { runId, bundleDigest } = source.result;
      expect(result.metadata.target).toEqual({
        name: "imported",
        kind: "imported",
        version: null,
        config: { source: jsonl, run_id: runId, bundle_digest: bundleDigest },
      });
      expect(parentsOf(workDir)).toMatchObject([parentOf("imported", source.result, ran)]);
      const { lineage, provenance } = await readBundle(workDir);
      expect(lineage).toEqual([
        `its trials were imported from run ${runId}, which ran stand_in 9.9; digest ${bundleDigest}`,
      ]);
      expect(await readProvenance(workDir)).toEqual({ lineage, provenance });
    },
  );

  it("are those of one run wherever the bundle lies: the settings are the same", async () => {
    const source = await sourceRun();

    const [one, other] = await Promise.all([
      importing({ jsonl: source.workDir }),
      importing({ jsonl: "run/trials.jsonl" }, source.root),
    ]);

    const settings = ({ workDir }: { readonly workDir: string }) =>
      storedDocument(workDir, "plan.json")["settings_digest"];
    expect(settings(one)).toBe(settings(other));
  });

  it("are refused when the bundle was altered, is not whole, or lacks a task", async () => {
    const source = await sourceRun();
    const lacking = importing({ jsonl: source.workDir }, undefined, ["a", "b", "c"]);
    expect(await refusal(() => lacking)).toMatchObject({ code: "ASSAY_TRIALS_INVALID" });

    appendFileSync(join(source.workDir, "evidence.jsonl"), "\n");
    expect(await refusal(() => importing({ jsonl: source.workDir }))).toMatchObject({
      code: "ASSAY_BUNDLE_DAMAGED",
      exitCode: 5,
    });
  });

  it("may be of another writer's bundle, which has no digest", async () => {
    const { workDir } = await importing({ jsonl: foreignBundle() }, undefined, ["sum-1"]);

    expect(parentsOf(workDir)).toMatchObject([
      { relation: "imported", run_id: "R", target: { name: "callable" } },
    ]);
    expect((await readBundle(workDir)).lineage).toEqual([
      "its trials were imported from run R, which ran callable; which has no digest",
    ]);
  });
});

describe("trials that a suite imports from elsewhere", () => {
  const row = { id: "x", taskId: "a", status: "completed", output: { outputText: "yes" } };
  const line = '{"id":"x","task_id":"a","status":"completed","output":{"output_text":"yes"}}\n';

  it("a file: its name and digest are the target's", async () => {
    const { root } = bench();
    writeFileSync(join(root, "made.jsonl"), line);

    const { result, workDir } = await importing({ jsonl: "./made.jsonl" }, root, ["a"]);

    expect(result.metadata.target?.config).toEqual({
      source: "made.jsonl",
      sha256: sha256Hex(line),
    });
    expect(parentsOf(workDir)).toEqual([]);
    expect((await readBundle(workDir)).lineage).toEqual([
      `they come from made.jsonl, sha256:${sha256Hex(line)}`,
    ]);
  });

  it("the suite itself: it says so, and other rows are other settings", async () => {
    const one = await importing([row], undefined, ["a"]);
    const other = await importing([{ ...row, id: "y" }], undefined, ["a"]);

    const targets = [one, other].map(({ result }) => result.metadata.target?.config);
    expect(targets).toEqual(
      Array(2).fill({ source: "the suite", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) }),
    );
    expect(targets[0]).not.toEqual(targets[1]);
  });
});

describe("a bundle that is scored again", () => {
  it("keeps every step to the run that produced its trials", async () => {
    const source = await sourceRun();
    const imported = await importing({ jsonl: source.workDir });
    const second = await again(imported);
    const third = await again(second, ["a", "b", "c"]);

    const taken = { name: "imported", kind: "imported" };
    expect(parentsOf(third.workDir)).toMatchObject([
      { ...parentOf("rescored", second.result, taken), tasks_left_out: 1 },
      parentOf("rescored", imported.result, taken),
      parentOf("imported", source.result, ran),
    ]);
    expect(third.result.metadata.target?.config).toEqual({
      run_id: second.result.runId,
      bundle_digest: second.result.bundleDigest,
    });
    const ids = [second, imported, source].map(({ result }) => result.runId);
    expect((await readBundle(third.workDir)).lineage.map((step) => step.split(";")[0])).toEqual([
      `its trials were scored again from run ${ids[0]}, 1 task of the suite without a trial left out`,
      `those of run ${ids[0]} were scored again from run ${ids[1]}`,
      `those of run ${ids[1]} were imported from run ${ids[2]}, which ran stand_in 9.9`,
    ]);
  });

  it("of trials from a file names the file still", async () => {
    const { root } = bench();
    const text = '{"id":"x","task_id":"a","status":"completed","output":{"output_text":"yes"}}\n';
    writeFileSync(join(root, "made.jsonl"), text);
    const imported = await importing({ jsonl: "made.jsonl" }, root, ["a"]);

    const { workDir } = await again(imported, ["a"]);

    expect((await readBundle(workDir)).lineage.at(-1)).toBe(
      `they come from made.jsonl, sha256:${sha256Hex(text)}`,
    );
  });

  it("of a run that produced its trials itself has no such step", async () => {
    const { workDir } = await sourceRun();

    expect((await readBundle(workDir)).lineage).toEqual([]);
    expect(readFileSync(join(workDir, "metadata.json"), "utf8")).not.toContain("imported");
  });
});
