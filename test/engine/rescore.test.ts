import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { EvalResult, RunOptions, TaskDefinition } from "assay";
import { verifyBundle } from "assay/bundle";
import { exactMatch, metricFromConfig } from "assay/metrics";
import { describe, expect, it } from "vitest";

import type { Metric } from "../../packages/assay/src/contracts/metric.ts";
import type { JsonObject } from "../../packages/assay/src/support/json.ts";
import { foreignBundle } from "../bundle/foreign-bundle.ts";
import { reseal } from "../support/reseal.ts";
import { suiteOf } from "./rescore-kit.ts";
import {
  bench,
  completed,
  constant,
  eager,
  places,
  refusal,
  rowsOf,
  runner,
  runTarget,
  storedDocument,
  storedRows,
  task,
} from "./run-kit.ts";

interface Again {
  readonly tasks?: readonly TaskDefinition[];
  readonly metrics?: readonly Metric[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Scores a bundle again into a folder of its own. */
async function again(
  dir: string,
  { tasks = [task("t0")], metrics = [constant()], env = {} }: Again = {},
) {
  const here = bench({ env });
  const suite = await suiteOf(here.root, tasks, metrics);
  const result = await here.evaluator.rescore(dir, suite, { workDir: here.workDir });
  return { ...here, result, rows: await rowsOf(result) };
}

function parentsOf(dir: string): JsonObject[] {
  const { predicate } = storedDocument(dir, "provenance.json") as unknown as {
    predicate: { parents: JsonObject[] };
  };
  return predicate.parents;
}

const exact = exactMatch({ reference: "{{ reference.answer }}" });
const answering = (id: string, answer: string) => task(id, { reference: { answer } });

describe("scoring a bundle again", () => {
  it("asks neither the suite's target nor the bundle's, and gives the new metric's scores", async () => {
    const first = await runTarget(
      runner(async function* (plan) {
        for (const { taskId, trialIndex } of places(plan)) yield completed(taskId, trialIndex);
      }),
      { config: { trialsPerTask: 3 } },
    );

    const second = await again(first.workDir, { metrics: [constant(0.5)] });

    expect(second.result).toMatchObject({ status: "completed", exitCode: 0 });
    expect(second.rows.scores.map(({ outputs }) => outputs)).toEqual(
      Array(3).fill([{ name: "score", value: 0.5 }]),
    );
    expect(second.result.metadata.target).toMatchObject({ name: "imported", kind: "imported" });
  });

  it("names in its lineage what was evaluated: identity, run, digest of the bundle, its own digests", async () => {
    const first = await runTarget(
      runner(
        async function* (plan) {
          for (const { taskId } of places(plan)) yield completed(taskId);
        },
        { config: { model: "m-1" }, probe: async () => ({ version: "9.9", resolved: {} }) },
      ),
    );

    const second = await again(first.workDir);

    expect(parentsOf(second.workDir)).toMatchObject([
      {
        relation: "rescored",
        run_id: first.result.runId,
        bundle_digest: first.result.bundleDigest,
        target: { name: "stand_in", version: "9.9", config: { model: "m-1" } },
        digests: { settings: expect.stringContaining("sha256:"), plan: expect.any(String) },
      },
    ]);
  });

  it("keeps every ancestor, the nearest first", async () => {
    const first = await runTarget(
      runner(async function* (plan) {
        for (const { taskId } of places(plan)) yield completed(taskId);
      }),
    );
    const second = await again(first.workDir);
    const third = await again(second.workDir);

    expect(
      parentsOf(third.workDir).map(({ run_id, bundle_digest, target }) => [
        run_id,
        bundle_digest,
        (target as JsonObject)["name"],
      ]),
    ).toEqual([
      [second.result.runId, second.result.bundleDigest, "imported"],
      [first.result.runId, first.result.bundleDigest, "stand_in"],
    ]);
  });

  it("gives the same bytes of scores as the live run did, redacted ones too", async () => {
    const secret = "Quokka&Wombat+42";
    const env = { LOGIN_TOKEN: secret };
    const tasks = [answering("a", "yes"), answering("b", `the ${secret}`), answering("c", "no")];
    const first = await runTarget(
      runner(async function* (plan) {
        for (const { taskId } of places(plan)) {
          const outputText = taskId === "b" ? `the ${secret}` : "yes";
          yield completed(taskId, 0, { output: { outputText, response: null, metadata: {} } });
        }
      }),
      { tasks, metrics: [exact], env },
    );

    const second = await again(first.workDir, { tasks, metrics: [exact], env });

    const scores = ({ workDir, result }: { workDir: string; result: EvalResult }) =>
      storedRows(workDir, "scores.jsonl")
        .map((row) => JSON.stringify(row).replaceAll(result.runId, "RUN"))
        .sort();
    expect(scores(second)).toEqual(scores(first));
    expect(readFileSync(join(second.workDir, "summary.json"), "utf8")).toBe(
      readFileSync(join(first.workDir, "summary.json"), "utf8"),
    );
  });

  it("keeps statuses, errors, ids and the order of trials, and counts no tokens again", async () => {
    const spent = {
      promptTokens: 10,
      completionTokens: 5,
      totalTokens: 15,
      cacheCreationTokens: null,
      cacheReadTokens: null,
      runtimeSec: 1,
      costUsd: 0.5,
    };
    const first = await runTarget(
      runner(async function* (plan) {
        for (const { taskId, trialIndex } of places(plan).reverse()) {
          const error = {
            type: "TimeoutError",
            message: "slow",
            traceback: null,
            occurredAt: null,
          };
          if (trialIndex === 0) yield completed(taskId, 0, { measurements: spent });
          if (trialIndex === 1)
            yield completed(taskId, 1, {
              status: "partial",
              error,
              output: null,
              measurements: spent,
            });
          if (trialIndex === 2)
            yield completed(taskId, 2, { status: "failed", error, output: null });
        }
      }),
      { config: { trialsPerTask: 3 } },
    );

    const second = await again(first.workDir);

    const trials = second.rows.trials.sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(trials.map(({ id, status, error }) => [id, status, error?.type])).toEqual([
      ["t0:stand_in", "completed", undefined],
      ["t0:stand_in:1", "partial", "TimeoutError"],
      ["t0:stand_in:2", "failed", "TimeoutError"],
    ]);
    expect(trials[0]?.measurements).toEqual(spent);
    const ledger = storedRows(second.workDir, "attempts.jsonl");
    const causes = ledger.map((row) => [row["trial_id"], row["trial_index"], row["cause"]]);
    expect(causes.sort()).toEqual([
      ["t0:stand_in", 0, "imported"],
      ["t0:stand_in:1", 1, "imported"],
      ["t0:stand_in:2", 2, "imported"],
    ]);
    expect(storedDocument(second.workDir, "provenance.json")).toMatchObject({
      predicate: {
        usage: { attempts: 3, prompt_tokens: { unknown: "counted where its trials were made" } },
      },
    });
  });

  it("leaves the bundle it reads as it was", async () => {
    const first = await runTarget(
      runner(async function* (plan) {
        for (const { taskId } of places(plan)) yield completed(taskId);
      }),
    );
    const before = readFileSync(join(first.workDir, "run.json"), "utf8");

    await again(first.workDir);

    expect(readFileSync(join(first.workDir, "run.json"), "utf8")).toBe(before);
    const here = bench();
    const suite = await suiteOf(here.root, [task("t0")], [constant()]);
    for (const workDir of [first.workDir, join(first.workDir, "again")]) {
      expect(
        await refusal(() => here.evaluator.rescore(first.workDir, suite, { workDir })),
      ).toMatchObject({ code: "ASSAY_OUTPUT_EXISTS", exitCode: 2 });
      expect(existsSync(join(first.workDir, "again"))).toBe(false);
    }
  });
});

describe("the evidence of a bundle that is scored again", () => {
  /** A run whose workspace holds a program, a link to it and a large log. */
  async function runWithWorkspace(secret = "never to be seen") {
    return await runTarget(
      runner(async function* (plan, { scratch }) {
        for (const { taskId } of places(plan)) {
          const workspace = join(scratch, taskId, "workspace");
          mkdirSync(join(workspace, "bin"), { recursive: true });
          writeFileSync(join(workspace, "bin/answer.sh"), "#!/bin/sh\necho 42\n");
          chmodSync(join(workspace, "bin/answer.sh"), 0o755);
          symlinkSync("bin/answer.sh", join(workspace, "answer"));
          writeFileSync(join(workspace, "log"), `used ${secret}`);
          const blank = { data: null, description: null, metadata: {}, format: "dir" };
          const descriptors = { final_state: { kind: "filesystem", ref: workspace, ...blank } };
          yield completed(taskId, 0, { evidence: { descriptors, metadata: {} } });
        }
      }),
      { env: { LOGIN_TOKEN: secret } },
    );
  }

  const verifier = () =>
    metricFromConfig({
      type: "command-verifier",
      command: ["sh", "-c", 'test "$(./answer)" = 42'],
    });

  it("is copied into the new bundle, which stands alone and can be moved", async () => {
    const first = await runWithWorkspace();

    const second = await again(first.workDir, { metrics: [await verifier()] });
    rmSync(first.workDir, { recursive: true });
    const moved = join(second.root, "moved");
    cpSync(second.workDir, moved, { recursive: true, verbatimSymlinks: true });
    rmSync(second.workDir, { recursive: true });
    const third = await again(moved, { metrics: [await verifier()] });

    for (const { rows } of [second, third])
      expect(rows.scores).toMatchObject([{ status: "completed", outputs: [{ value: 1 }] }]);
    const [stored] = third.rows.trials;
    const ref = stored?.evidence?.descriptors["final_state"]?.ref ?? "";
    expect(ref).toMatch(/^evidence\//);
    expect(readlinkSync(join(third.workDir, ref, "answer"))).toBe("bin/answer.sh");
    expect(lstatSync(join(third.workDir, ref, "bin/answer.sh")).mode & 0o100).toBe(0o100);
  });

  it("has the programs that its list names, whatever became of their rights on the way", async () => {
    const first = await runWithWorkspace();
    const workspace = storedRows(first.workDir, "trials.jsonl")
      .map(
        (row) => row as unknown as { evidence: { descriptors: { final_state: { ref: string } } } },
      )
      .map(({ evidence }) => join(first.workDir, evidence.descriptors.final_state.ref));
    for (const dir of workspace) {
      chmodSync(join(dir, "bin/answer.sh"), 0o600);
      chmodSync(join(dir, "log"), 0o755);
    }
    const notLog = ["sh", "-c", 'test "$(./answer)" = 42 && test ! -x log'];
    const metrics = [await metricFromConfig({ type: "command-verifier", command: notLog })];

    const { rows } = await again(first.workDir, { metrics });

    expect(rows.scores).toMatchObject([{ status: "completed", outputs: [{ value: 1 }] }]);
  });

  it("says still what was removed from it before", async () => {
    const first = await runWithWorkspace("Quokka&Wombat+42");

    const second = await again(first.workDir);

    const log = (dir: string) =>
      storedRows(dir, "evidence.jsonl").find((row) => String(row["path"]).endsWith("/log"));
    expect(log(first.workDir)).toMatchObject({ redactions: 1 });
    expect(log(second.workDir)).toEqual(log(first.workDir));
  });

  it("of another's bundle is not looked for outside of it", async () => {
    const dir = foreignBundle();
    const outside = join(dir, "../outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "answer.txt"), "5");
    const row = (ref: string) =>
      readFileSync(join(dir, "trials.jsonl"), "utf8").replace(
        "evidence/000000-sum-1/workspace",
        ref,
      );
    const tasks = [answering("sum-1", "5")];
    const lost = (why: string) => ({
      ref: null,
      metadata: { role: "final_state", unavailable: why },
    });

    const stored = {
      [outside]: { ref: outside, metadata: { role: "final_state" } },
      "evidence/../../outside": lost("outside_of_bundle"),
      "evidence/link": lost("missing"),
    };
    for (const [ref, descriptor] of Object.entries(stored)) {
      const copy = join(dir, `../copy-${ref.length}`);
      cpSync(dir, copy, { recursive: true });
      writeFileSync(join(copy, "trials.jsonl"), row(ref));
      symlinkSync(outside, join(copy, "evidence/link"));
      const metrics = [
        await metricFromConfig({ type: "command-verifier", command: ["test", "-e", "answer.txt"] }),
      ];

      const { rows, workDir } = await again(copy, { tasks, metrics });

      const [score] = rows.scores.filter(({ trialId }) => trialId === "sum-1:0");
      expect(score?.outputs.find(({ value }) => value === 1)).toBeUndefined();
      expect(storedRows(workDir, "evidence.jsonl")).toEqual([]);
      const trial = storedRows(workDir, "trials.jsonl").find(({ id }) => id === "sum-1:0");
      expect(trial).toMatchObject({ evidence: { descriptors: { final_state: descriptor } } });
      expect((await verifyBundle(workDir)).problems).toEqual([]);
    }
  });
});

describe("a bundle of a part of its suite", () => {
  const whole = ["a", "b", "c"].map((id) => task(id));

  /** A run that is stopped when it has given the trials of these tasks. */
  async function interruptedAfter(...ids: string[]): Promise<string> {
    const stop = new AbortController();
    const target = runner(async function* (plan) {
      for (const { taskId } of places(plan)) if (ids.includes(taskId)) yield completed(taskId);
      stop.abort("SIGINT");
    });
    const config = { signal: stop.signal };
    return (await runTarget(target, { tasks: whole, config })).workDir;
  }

  async function selected(selection: RunOptions): Promise<string> {
    const { evaluator, root, workDir } = bench();
    const suite = await suiteOf(root, whole, [constant()]);
    await evaluator.runSuite({ ...suite, target: eager() }, { ...selection, workDir });
    return workDir;
  }

  it.each([
    { of: "an interrupted run", begin: () => interruptedAfter("a", "c"), held: ["a", "c"] },
    { of: "the first tasks", begin: () => selected({ limit: 2 }), held: ["a", "b"] },
    { of: "chosen tasks", begin: () => selected({ taskIds: ["c"] }), held: ["c"] },
  ])("of $of is scored as far as it goes, and the rest is counted", async ({ begin, held }) => {
    const { evaluator, root, workDir, events, onEvent } = bench();
    const suite = await suiteOf(root, whole, [constant(0.5)]);

    const result = await evaluator.rescore(await begin(), suite, { workDir, onEvent });

    const { trials, scores } = await rowsOf(result);
    expect(result).toMatchObject({ status: "completed", exitCode: 0 });
    expect(result.tasks.map(({ id }) => id)).toEqual(held);
    expect(trials.map(({ taskId }) => taskId).sort()).toEqual(held);
    expect(scores.map(({ outputs }) => outputs[0]?.value)).toEqual(held.map(() => 0.5));
    const leftOut = whole.length - held.length;
    expect(parentsOf(workDir)).toMatchObject([{ tasks_left_out: leftOut }]);
    expect(events).toContainEqual({
      type: "warning",
      message: `${leftOut} of 3 tasks of the suite are left out: the bundle holds no trial of them`,
    });
  });

  it("says of each ancestor how many tasks were left out", async () => {
    const first = await selected({});
    const second = await again(first, { tasks: whole });
    const third = await again(second.workDir, { tasks: [...whole, task("d")] });

    expect(parentsOf(third.workDir).map((parent) => parent["tasks_left_out"])).toEqual([1, 0]);
  });

  it("without any trial is refused", async () => {
    const dir = await interruptedAfter();

    const refused = await refusal(() => again(dir, { tasks: whole }));

    expect(refused).toMatchObject({ code: "ASSAY_TRIALS_INVALID", exitCode: 2 });
    expect(refused.message).toContain("holds no trial");
  });
});

describe("a suite and a bundle that do not fit", () => {
  const bundle = async () =>
    await runTarget(
      runner(async function* (plan) {
        for (const { taskId } of places(plan)) yield completed(taskId);
      }),
      { tasks: [task("a"), task("b")] },
    );

  it.each([
    { tasks: ["a"], named: '"b"' },
    { tasks: ["other"], named: '"a"' },
    { tasks: ["a", "b", "extra"], taskIds: ["a", "extra"], named: '"extra"' },
  ])("are refused before anything is written: tasks $tasks, $taskIds", async (given) => {
    const { tasks, taskIds, named } = given;
    const { workDir } = await bundle();
    const here = bench();
    const suite = await suiteOf(
      here.root,
      tasks.map((id) => task(id)),
      [constant()],
    );

    const refused = await refusal(() =>
      here.evaluator.rescore(workDir, suite, {
        workDir: here.workDir,
        ...(taskIds === undefined ? {} : { taskIds }),
      }),
    );

    expect(refused).toMatchObject({ code: "ASSAY_TRIALS_INVALID", exitCode: 2 });
    expect(refused.message).toContain(named);
    expect(existsSync(here.workDir)).toBe(false);
  });

  it("are refused when the bundle holds one trial twice", async () => {
    const { workDir } = await bundle();
    const trials = join(workDir, "trials.jsonl");
    const [first = ""] = readFileSync(trials, "utf8").split("\n");
    writeFileSync(trials, `${readFileSync(trials, "utf8")}${first}\n`);
    reseal(workDir);

    const refused = await refusal(() => again(workDir, { tasks: [task("a"), task("b")] }));

    expect(refused).toMatchObject({ code: "ASSAY_TRIALS_INVALID", exitCode: 2 });
    expect(refused.message).toContain(String((JSON.parse(first) as JsonObject)["id"]));
  });
});

describe("a bundle of another writer", () => {
  it("is scored again, and what it says of its target is kept", async () => {
    const tasks = [answering("sum-1", "5")];

    const { workDir, rows, result } = await again(foreignBundle(), { tasks, metrics: [exact] });

    const scores = rows.scores.map((row) => [row.trialId, row.status, row.outputs[0]?.value]);
    expect(scores.sort()).toEqual([
      ["sum-1:0", "completed", 1],
      ["sum-1:1", "failed", undefined],
    ]);
    expect(parentsOf(workDir)).toMatchObject([
      {
        run_id: "R",
        target: { name: "callable", config: { agent_fn: "pkg.mod.fn" } },
        bundle_digest: { unknown: expect.any(String) },
        digests: { unknown: expect.any(String) },
      },
    ]);
    const kept = rows.trials.find(({ id }) => id === "sum-1:0")?.evidence;
    const ref = kept?.descriptors["final_state"]?.ref ?? "";
    expect(readFileSync(join(workDir, ref, "answer.txt"), "utf8")).toBe("5\n");
    expect(result.summary.errorTrialIds).toEqual({ TimeoutError: ["sum-1:1"] });
  });
});

describe("persisting", () => {
  it("copies a bundle byte for byte, links and rights of its evidence too", async () => {
    const here = bench();
    const target = runner(async function* (plan, { scratch }) {
      for (const { taskId } of places(plan)) {
        const workspace = join(scratch, taskId);
        mkdirSync(workspace, { recursive: true });
        writeFileSync(join(workspace, "tool"), "#!/bin/sh\n", { mode: 0o755 });
        symlinkSync("tool", join(workspace, "link"));
        const blank = { data: null, description: null, metadata: {}, format: "dir" };
        const descriptors = { final_state: { kind: "filesystem", ref: workspace, ...blank } };
        yield completed(taskId, 0, { evidence: { descriptors, metadata: {} } });
      }
    });
    const result = await here.evaluator.run({ tasks: [task("t0")], metrics: [constant()], target });
    const to = join(here.root, "kept");

    expect(await result.persist(to)).toBe(to);

    const copy = await here.evaluator.readBundle(to);
    expect(copy.bundleDigest).toBe(result.bundleDigest);
    const [trial] = await copy.trials.toArray();
    const ref = trial?.evidence?.descriptors["final_state"]?.ref ?? "";
    expect(readlinkSync(join(to, ref, "link"))).toBe("tool");
    expect(lstatSync(join(to, ref, "tool")).mode & 0o777).toBe(0o700);
    expect(await refusal(() => result.persist(to))).toMatchObject({ code: "ASSAY_OUTPUT_EXISTS" });
  });
});
