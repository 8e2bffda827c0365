import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunEvent } from "assay";
import { diffBundles } from "assay/bundle";
import { exactMatch } from "assay/metrics";
import { describe, expect, it } from "vitest";

import { bundleGaps } from "../../../packages/assay/src/bundle/older-formats.ts";
import type { EffectiveOptions } from "../../../packages/assay/src/contracts/runner.ts";
import type { JsonObject } from "../../../packages/assay/src/support/json.ts";
import { foreignBundle } from "../../bundle/foreign-bundle.ts";
import { reseal } from "../../support/reseal.ts";
import { suiteOf } from "../rescore-kit.ts";
import {
  bench,
  completed,
  constant,
  eager,
  metric,
  places,
  type QuickRun,
  refusal,
  runner,
  runTarget,
  saysYes,
  task,
} from "../run-kit.ts";

/** A run whose options are given with the origin and role of each. */
async function runWith(
  options: Readonly<Record<string, readonly [value: string, origin: string, role: string]>>,
  run: QuickRun = {},
): Promise<string> {
  const pick = (at: number) =>
    Object.fromEntries(Object.entries(options).map(([name, parts]) => [name, parts[at] ?? ""]));
  const config = pick(0);
  const shapes = Object.entries(options).filter(([, [, , role]]) => role === "shapes");
  const effective = {
    config,
    shaping: Object.fromEntries(shapes.map(([name, [value]]) => [name, value])),
    origins: pick(1),
    roles: pick(2),
  } as unknown as EffectiveOptions;
  const target = eager({ effectiveOptions: () => effective });
  const info = { name: "stand_in", kind: "runner" as const, version: null, config };
  return (await runTarget({ ...target, runnerInfo: () => info }, run)).workDir;
}

const plain = async (run: QuickRun = {}) => (await runTarget(eager(), run)).workDir;
const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);

describe("the settings of two bundles", () => {
  it("are the same when they are, whatever else differs", async () => {
    const diff = await diffBundles(
      await runWith({ model: ["m", "suite", "shapes"], path: ["/a", "suite", "operational"] }),
      await runWith({ model: ["m", "flag", "shapes"], path: ["/b", "suite", "operational"] }),
    );

    expect(diff.settings).toEqual({
      verdict: "same",
      reason: null,
      shaping: [],
      operational: [
        { name: "path", a: { value: "/a", origin: "suite" }, b: { value: "/b", origin: "suite" } },
      ],
    });
  });

  it("differ by the options that shape results, each with its origins", async () => {
    const { settings } = await diffBundles(
      await runWith({ model: ["m-1", "suite", "shapes"], old: ["x", "default", "shapes"] }),
      await runWith({ model: ["m-2", "flag", "shapes"], __proto__: ["y", "suite", "shapes"] }),
    );

    expect(settings).toMatchObject({
      verdict: "different",
      shaping: [
        {
          name: "model",
          a: { value: "m-1", origin: "suite" },
          b: { value: "m-2", origin: "flag" },
        },
        { name: "old", a: { value: "x" }, b: null },
      ],
    });
  });

  it("differ by the target itself", async () => {
    const other = runner(
      async function* (plan) {
        for (const { taskId } of places(plan)) yield completed(taskId);
      },
      { runnerInfo: () => ({ name: "other", kind: "runner", version: null, config: {} }) },
    );

    const { settings } = await diffBundles(await plain(), (await runTarget(other)).workDir);

    expect(settings).toMatchObject({ verdict: "different", shaping: [{ name: "target" }] });
  });

  it("of a bundle that was scored again are those of the run that its trials come from", async () => {
    const source = await runWith({ model: ["m-1", "suite", "shapes"] });
    const again = async (dir: string) => {
      const { evaluator, root, workDir } = bench();
      await evaluator.rescore(dir, await suiteOf(root, [task("t0")], [constant()]), { workDir });
      return workDir;
    };
    const twice = await again(await again(source));

    const same = await diffBundles(source, twice);
    const other = await diffBundles(await runWith({ model: ["m-2", "suite", "shapes"] }), twice);

    expect(same.settings).toMatchObject({ verdict: "same", reason: null });
    expect(other.settings).toMatchObject({ verdict: "different", shaping: [{ name: "model" }] });
    expect(same.b.lineage).toEqual([
      expect.stringMatching(/^its trials were scored again from run \S+; digest sha256:/),
      expect.stringMatching(
        /^those of run \S+ were scored again from run \S+, which ran stand_in; digest sha256:/,
      ),
    ]);
  });

  it("are compared as recorded where a bundle has no digest of them", async () => {
    const foreign = foreignBundle();
    const text = readFileSync(join(foreign, "metadata.json"), "utf8");
    const other = foreignBundle({
      "metadata.json": text.replace('"parallelism":4', '"parallelism":8'),
    });

    const same = await diffBundles(foreign, foreign);
    const different = await diffBundles(foreign, other);

    expect(same.settings).toMatchObject({
      verdict: "same",
      reason: expect.stringContaining("recorded"),
    });
    expect(different.settings).toMatchObject({
      verdict: "different",
      shaping: [{ name: "parallelism", a: { value: 4 }, b: { value: 8 } }],
    });
  });

  it("cannot be compared when nothing says what was evaluated", async () => {
    const oldest = foreignBundle({ "metadata.json": null, "benchmark.json": "{}" });

    const { settings, b } = await diffBundles(await plain(), oldest);

    expect(settings).toMatchObject({
      verdict: "unknown",
      reason: "B does not record what was evaluated",
    });
    expect(b.gaps).toEqual([bundleGaps.no_metadata]);
    expect(b.unsealedBecause).toBe("the bundle was written by another tool");
  });
});

describe("what two runs were made with", () => {
  it("differs fact by fact, files of code by their names", async () => {
    const probed = (version: string, image: string) =>
      eager({ probe: async () => ({ version, resolved: { image, same: "x" } }) });
    const [a, b] = [await runTarget(probed("1.0", "i-1")), await runTarget(probed("2.0", "i-2"))];
    const withCode = (dir: string, files: readonly JsonObject[]) => {
      const file = join(dir, "provenance.json");
      const statement = JSON.parse(readFileSync(file, "utf8"));
      statement.predicate.code_files = files;
      writeFileSync(file, JSON.stringify(statement));
      reseal(dir);
    };
    const codeFile = (path: string, digit: string) => ({ path, sha256: digit.repeat(64) });
    withCode(a.workDir, [codeFile("b.ts", "1"), codeFile("a.ts", "2")]);
    withCode(b.workDir, [codeFile("a.ts", "2"), codeFile("b.ts", "3"), codeFile("c.ts", "4")]);

    const { facts, settings } = await diffBundles(a.workDir, b.workDir);

    expect(settings.verdict).toBe("same");
    expect(names(facts)).toEqual([
      "code_files.b.ts",
      "code_files.c.ts",
      "tool.resolved.image",
      "tool.version",
    ]);
    expect(facts[1]).toEqual({
      name: "code_files.c.ts",
      a: null,
      b: { value: `sha256:${"4".repeat(64)}` },
    });
  });

  it("is read from bundles of other versions of Assay, as far as they say it", async () => {
    const dir = await plain();
    const file = join(dir, "provenance.json");
    const statement = JSON.parse(readFileSync(file, "utf8"));
    delete statement.predicate.sandbox;
    statement.predicate.invented = { deep: { fact: 7 } };
    writeFileSync(file, JSON.stringify(statement));
    reseal(dir);

    const { facts, settings } = await diffBundles(await plain(), dir);

    expect(settings.verdict).toBe("same");
    expect(names(facts)).toContain("invented.deep.fact");
    expect(names(facts).some((name) => name.startsWith("sandbox."))).toBe(true);
  });

  it("is only what both can say, where one of them has no provenance", async () => {
    const own = await plain({ config: { labels: { mode: "ci", team: "a" } } });

    const diff = await diffBundles(own, foreignBundle());
    const alike = await diffBundles(foreignBundle(), foreignBundle());

    expect(diff.facts).toEqual([{ name: "labels.team", a: { value: "a" }, b: null }]);
    expect(diff.spending).toEqual([]);
    expect([diff.a.hasProvenance, diff.b.hasProvenance]).toEqual([true, false]);
    expect(diff.toJSON()).toMatchObject({ b: { has_provenance: false } });
    expect(alike.facts).toEqual([]);
  });
});

describe("tasks and scoring of two bundles", () => {
  it("differ by tasks that were added, removed, changed or put elsewhere", async () => {
    const a = [task("gone"), task("same"), task("changed"), task("last")];
    const b = [
      task("same"),
      task("last"),
      task("changed", { reference: { answer: 1 } }),
      task("new"),
    ];

    const { tasks } = await diffBundles(await plain({ tasks: a }), await plain({ tasks: b }));

    expect(tasks).toEqual({
      shared: ["same", "changed", "last"],
      added: ["new"],
      removed: ["gone"],
      changed: [{ id: "changed", fields: ["reference"] }],
      isReordered: true,
    });
  });

  it("differ by metrics and their settings, by outputs, and by trials per task", async () => {
    const exact = (reference: string) => exactMatch({ reference });
    const { scoring, scores } = await diffBundles(
      await plain({ metrics: [exact("yes"), constant()] }),
      await plain({ metrics: [exact("no"), saysYes()], config: { trialsPerTask: 2 } }),
    );

    expect(scoring).toMatchObject({
      metrics: [
        { metric: "constant", what: "removed" },
        {
          metric: "exact-match",
          what: "changed",
          differences: [{ name: "reference", a: { value: "yes" }, b: { value: "no" } }],
        },
        { metric: "says-yes", what: "added" },
      ],
      trialsPerTask: { a: { value: 1 }, b: { value: 2 } },
      outputsOnlyInA: ["constant.score"],
      outputsOnlyInB: ["says-yes.score"],
    });
    expect(scores.map(({ output }) => output)).toEqual(["exact-match.exact-match"]);
  });

  it("of different suites share nothing, which is no error", async () => {
    const diff = await diffBundles(await plain({ tasks: [task("x")] }), foreignBundle());

    expect(diff.tasks).toMatchObject({ shared: [], added: ["sum-1"], removed: ["x"] });
    expect([diff.scores, diff.scoring.metrics]).toEqual([[], null]);
  });
});

describe("the scores of two bundles", () => {
  const scored = async (value: (taskId: string) => number, count = 3) => {
    const tasks = Array.from({ length: count }, (_, index) => task(`t${index}`));
    const output = metric("m", ({ row }) => ({ outputs: { score: value(row.task.id) } }));
    return await plain({ tasks, metrics: [output], config: { trialsPerTask: 2 } });
  };

  it("are paired by task, and only what changed is listed", async () => {
    const a = await scored(() => 0.5);
    const b = await scored((id) => (id === "t1" ? 1 : 0.5));

    const { scores, aggregates } = await diffBundles(a, b);

    expect(
      scores.map(({ changes, ...rest }) => ({ ...rest, changes: [...changes()] })),
    ).toMatchObject([
      {
        output: "m.score",
        comparison: { pairCount: 3, higherCount: 1, equalCount: 2, meanA: 0.5 },
        changedCount: 1,
        changes: [
          { taskId: "t1", a: { mean: 0.5, count: 2 }, b: { mean: 1, count: 2 }, change: 0.5 },
        ],
      },
    ]);
    expect(names(aggregates)).toEqual(["m.score", "m.score.pass@1", "m.score.pass@2"]);
  });

  it("of an interrupted run are those that it has", async () => {
    const stop = new AbortController();
    const target = runner(async function* (plan, { signal }) {
      const [first] = places(plan);
      if (first !== undefined) yield completed(first.taskId);
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const tasks = [task("t0"), task("t1")];
    const onEvent = ({ type }: RunEvent) => {
      if (type === "score-end") stop.abort("SIGINT");
    };
    const config = { signal: stop.signal, onEvent };
    const part = await runTarget(target, { tasks, config });

    const { scores, b } = await diffBundles(await plain({ tasks }), part.workDir);

    expect(b).toMatchObject({ status: "interrupted", statusCause: "SIGINT", trialCount: 1 });
    expect(scores).toMatchObject([{ comparison: { pairCount: 1, unpairedCount: 1 } }]);
  });

  it("of the oldest generation come from its rows", async () => {
    const oldest = foreignBundle({
      "metadata.json": null,
      "benchmark.json": "{}",
      "summary.json": '{"task_count":1,"trial_count":2}',
    });

    const { scores, a } = await diffBundles(oldest, foreignBundle());

    expect(scores).toMatchObject([{ output: "exact-match.exact-match", changedCount: 0 }]);
    expect(scores[0]?.comparison).toMatchObject({ pairCount: 1, meanA: 1, meanB: 1 });
    expect(a.gaps).toContain(bundleGaps.no_task_values);
  });

  it("are one JSON document", async () => {
    const diff = await diffBundles(await scored(() => 0), await scored(() => 1));

    expect(JSON.parse(JSON.stringify(diff))).toMatchObject({
      settings: "same",
      tasks: { shared: 3 },
      scores: [{ output: "m.score", mean_a: 0, mean_b: 1, changed: [{ task_id: "t0" }, {}, {}] }],
    });
  });
});

describe("a bundle that is not to be compared", () => {
  it.each([
    ["A", "trials.jsonl"],
    ["B", "scores.jsonl"],
    ["B", "tasks.jsonl"],
    ["A", "attempts.jsonl"],
  ])("for %s/%s was altered is named, with the file", async (which, file) => {
    const [a, b] = [await plain(), await plain()];
    appendFileSync(join(which === "A" ? a : b, file), "\n");

    expect(await refusal(() => diffBundles(a, b))).toMatchObject({
      code: "ASSAY_BUNDLE_DAMAGED",
      message: expect.stringMatching(
        new RegExp(`${which === "A" ? a : b}" is not as it was sealed\\n {2}${file}: expected`),
      ),
      exitCode: 5,
    });
  });

  it("for it holds a task twice is refused", async () => {
    const dir = await plain();
    const file = join(dir, "tasks.jsonl");
    appendFileSync(file, readFileSync(file, "utf8"));
    reseal(dir);

    expect(await refusal(() => diffBundles(dir, dir))).toMatchObject({
      code: "ASSAY_BUNDLE_DAMAGED",
      message: expect.stringContaining('holds task "t0" twice'),
    });
  });

  it("for it has not ended says so", async () => {
    const dir = await plain();
    const file = join(dir, "run.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"completed"', '"running"'));
    reseal(dir);

    expect(await refusal(() => diffBundles(dir, dir))).toMatchObject({
      code: "ASSAY_BUNDLE_UNFINISHED",
      exitCode: 4,
    });
  });

  it("for it is not there is wrong input", async () => {
    expect(await refusal(() => diffBundles("/nowhere", "/nowhere"))).toMatchObject({
      code: "ASSAY_BUNDLE_NOT_FOUND",
      exitCode: 2,
    });
  });
});
