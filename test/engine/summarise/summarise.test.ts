import { describe, expect, it } from "vitest";
import type { Summary } from "../../../packages/assay/src/schema/summary.ts";
import { scoreByName } from "../../../packages/assay/src/statistics/score-lookup.ts";
import { failed, metricFailed, scored, task, trial, trialFailed, unscored } from "./rows.ts";
import { type SummariseInput, summarise } from "./summarise-rows.ts";

const summaryOf = (input: Partial<SummariseInput>): Promise<Summary> =>
  summarise({ tasks: [], trials: [], scores: [], ...input });
const names = (summary: Summary) => summary.scores.scores.map(({ name }) => name);
const statisticsOnly = (summary: Summary) =>
  names(summary).filter((name) => !name.includes(".pass@"));
const aggregate = (summary: Summary, name: string) => scoreByName(summary, name);
const values = (summary: Summary, taskId: string, key: string) =>
  summary.taskMetricValues[taskId]?.[key]?.map(({ trialId, value }) => [trialId, value]);

const reward = { verifier: { reward: "ContinuousScore" } };

describe("plain statistics", () => {
  it("follow the formulas over the values of an output", async () => {
    const results = [1, 1, 0, 0, 1, 1, 1, 1, 0, 0];
    const summary = await summaryOf({
      tasks: [task("t", reward)],
      scores: results.map((value, index) => scored(`t:${index} verifier`, { reward: value })),
    });

    const figures = aggregate(summary, "verifier.reward");

    expect(figures).toMatchObject({
      scoreType: "range",
      count: 10,
      nanCount: 0,
      mean: 0.6,
      median: 1,
    });
    expect(figures.variance).toBeCloseTo(0.24, 15);
    expect(figures.stdDev).toBeCloseTo(Math.sqrt(0.24), 15);
    expect(figures.sampleVariance).toBeCloseTo(2.4 / 9, 15);
    expect(figures).toMatchObject({ percentiles: { p30: 0, p50: 1 } });
    expect(figures).toMatchObject({ histogram: { bins: { length: 10 } } });
  });

  it("count a boolean as 0 or 1", async () => {
    const summary = await summaryOf({
      tasks: [task("t", { check: { ok: "BooleanValue" } })],
      scores: [true, false, true, true].map((ok, i) => scored(`t:${i} check`, { ok })),
    });

    expect(aggregate(summary, "check.ok")).toMatchObject({ count: 4, nanCount: 0, mean: 0.75 });
  });

  it("turn labels into a distribution with its most frequent one", async () => {
    const summary = await summaryOf({
      tasks: [task("t", { judge: { grade: "Label" } })],
      scores: [
        ...["good", "poor", "good"].map((grade, i) => scored(`t:${i} judge`, { grade })),
        metricFailed("t:3 judge"),
      ],
    });

    expect(aggregate(summary, "judge.grade")).toMatchObject({
      scoreType: "rubric",
      count: 3,
      nanCount: 1,
      modeCategory: "good",
      rubricDistribution: [
        { label: "good", value: null, count: 2 },
        { label: "poor", value: null, count: 1 },
      ],
    });
  });

  it("include a partial score that has a value", async () => {
    const score = { ...scored("t:0 verifier", { reward: 0.5 }), status: "partial" as const };
    const summary = await summaryOf({ tasks: [task("t", reward)], scores: [score] });

    expect(aggregate(summary, "verifier.reward")).toMatchObject({ count: 1, mean: 0.5 });
  });

  it("never take an unscored output for 0 or NaN", async () => {
    const summary = await summaryOf({
      tasks: [task("t", reward)],
      scores: [scored("t:0 verifier", { reward: 1 }), unscored("t:1 verifier")],
    });

    expect(aggregate(summary, "verifier.reward")).toMatchObject({ count: 1, nanCount: 1, mean: 1 });
    expect(aggregate(summary, "verifier.reward.pass@1")).toMatchObject({ mean: 1, count: 1 });
    expect(values(summary, "t", "verifier.reward")).toEqual([["t:0", 1]]);
    expect(summary.metricCoverage).toEqual({
      verifier: { reward: { total: 2, scored: 1, failed: 0, missing: 1 } },
    });
  });

  it.each([
    ["an object", { a: 1 }],
    ["a list", [1]],
    ["null", null],
    ["text", "12"],
  ])("count %s as observed, but as no number", async (_case, value) => {
    const summary = await summaryOf({
      tasks: [task("t", reward)],
      scores: [scored("t:0 verifier", { reward: value })],
    });

    expect(aggregate(summary, "verifier.reward")).toMatchObject({
      count: 0,
      nanCount: 1,
      mean: null,
    });
    expect(summary.metricCoverage["verifier"]?.["reward"]?.scored).toBe(1);
  });

  it("leave out non-finite numbers, whichever comes first", async () => {
    for (const order of [
      ["NaN", 1],
      [1, "NaN"],
      ["Infinity", 1],
    ]) {
      const summary = await summaryOf({
        tasks: [task("t", reward)],
        scores: order.map((value, i) => scored(`t:${i} verifier`, { reward: value })),
      });

      expect(aggregate(summary, "verifier.reward")).toMatchObject({
        count: 1,
        nanCount: 1,
        max: 1,
      });
    }
  });

  it("exist only for outputs that were observed, in order of metric and output", async () => {
    const metrics = {
      b: { z: "ContinuousScore", a: "DiscreteScore" },
      a: { x: "Label" },
      c: { n: "ContinuousScore" },
    };
    const summary = await summaryOf({
      tasks: [task("t", metrics, { v2: single("b", "z"), v1: single("b", "a") })],
      scores: [
        scored("t:0 b", { z: 1, a: 2, undeclared: 3 }),
        scored("t:0 a", { x: "l" }),
        scored("t:0 other", { o: 1 }),
      ],
      runnerAggregates: [
        { ...aggregate0, name: "runner.z.y" },
        { ...aggregate0, name: "runner.a.x" },
      ],
    });

    expect(names(summary)).toEqual([
      "a.x",
      "b.a",
      "b.z",
      "view.v1",
      "view.v2",
      "b.z.pass@1",
      "runner.z.y",
      "runner.a.x",
    ]);
    expect(Object.keys(summary.metricCoverage)).toEqual(["a", "b"]);
  });
});

const aggregate0 = { ...emptyFigures(), name: "", scoreType: "scalar" as const, value: 0.6 };

function emptyFigures() {
  return {
    count: null,
    nanCount: 0,
    sum: null,
    mean: null,
    min: null,
    max: null,
    median: null,
    stdDev: null,
    variance: null,
    sampleStdDev: null,
    sampleVariance: null,
  };
}

function single(metric: string, output: string) {
  return { reducer: "single" as const, signals: [{ metric, output, weight: null }] };
}

describe("coverage", () => {
  it("tells trials that died, metrics that failed and outputs that are missing", async () => {
    const scores = Array.from({ length: 12 }, (_, i) => {
      if (i < 2) return [trialFailed(`t:${i} verifier`), trialFailed(`t:${i} judge`)];
      const judge =
        i === 2
          ? metricFailed(`t:${i} judge`)
          : scored(`t:${i} judge`, i === 3 ? {} : { grade: 1 });
      return [scored(`t:${i} verifier`, { reward: 1 }), judge];
    }).flat();

    const summary = await summaryOf({
      tasks: [task("t", { ...reward, judge: { grade: "DiscreteScore" } })],
      scores,
    });

    expect(summary.metricCoverage).toEqual({
      judge: { grade: { total: 12, scored: 8, failed: 3, missing: 1 } },
      verifier: { reward: { total: 12, scored: 10, failed: 2, missing: 0 } },
    });
    expect(aggregate(summary, "judge.grade")).toMatchObject({ count: 8, nanCount: 4 });
  });
});

describe("views", () => {
  const two = { a: { x: "ContinuousScore" }, b: { ok: "BooleanValue", note: "Label" } };
  const both = {
    reducer: "all" as const,
    signals: [
      { metric: "a", output: "x", weight: null },
      { metric: "b", output: "ok", weight: null },
    ],
  };

  it("reduce the outputs of each trial, and count trials that lack one", async () => {
    const summary = await summaryOf({
      tasks: [task("t", two, { solved: both })],
      scores: [
        scored("t:0 a", { x: 1 }),
        scored("t:0 b", { ok: true }),
        scored("t:1 a", { x: 1 }),
        scored("t:1 b", { ok: false }),
        scored("t:2 a", { x: 1 }),
        metricFailed("t:2 b"),
        scored("t:3 a", { x: "NaN" }),
        scored("t:3 b", { ok: true }),
        trialFailed("t:4 a"),
        trialFailed("t:4 b"),
        scored("t:5 a", { x: 1 }),
      ],
    });

    expect(aggregate(summary, "view.solved")).toMatchObject({ count: 2, nanCount: 4, mean: 0.5 });
  });

  it.each([
    ["a label", { metric: "b", output: "note", weight: null }],
    ["an output that the metric does not declare", { metric: "a", output: "y", weight: null }],
    ["a metric that the task does not have", { metric: "c", output: "x", weight: null }],
  ])("have no value from %s", async (_case, signal) => {
    const summary = await summaryOf({
      tasks: [task("t", two, { v: { reducer: "any", signals: [signal] } })],
      scores: [scored("t:0 a", { x: 1, y: 1 }), scored("t:0 b", { ok: true, note: "fine" })],
    });

    expect(aggregate(summary, "view.v")).toMatchObject({ count: 0, nanCount: 1 });
  });

  it("of one name are pooled over tasks", async () => {
    const summary = await summaryOf({
      tasks: [task("t", two, { v: single("a", "x") }), task("u", two, { v: single("b", "ok") })],
      scores: [scored("t:0 a", { x: 0.5 }), scored("u:0 b", { ok: true })],
    });

    expect(aggregate(summary, "view.v")).toMatchObject({ count: 2, nanCount: 0, mean: 0.75 });
  });

  it("pair the scores of trials with one id by their place", async () => {
    const summary = await summaryOf({
      tasks: [task("t", two, { solved: both })],
      scores: [scored("t:0 a", { x: 1 }), scored("t:0 a", { x: 1 }), scored("t:0 b", { ok: true })],
    });

    expect(aggregate(summary, "view.solved")).toMatchObject({ count: 1, nanCount: 1 });
  });
});

describe("values by task", () => {
  const metrics = { verifier: { reward: "ContinuousScore" }, count: { steps: "DiscreteScore" } };

  it("keep type and trial; a dead trial is missing, a failed metric has no entry", async () => {
    const tasks = ["t0", "t1", "t2", "t3"].map((id) => task(id, metrics));
    const summary = await summaryOf({
      tasks,
      scores: [
        scored("t0:0 verifier", { reward: 1 }),
        scored("t0:0 count", { steps: 5 }),
        metricFailed("t1:0 verifier"),
        scored("t1:0 count", { steps: 9 }),
        trialFailed("t2:0 verifier"),
        trialFailed("t2:0 count"),
        scored("t3:0 verifier", { reward: 0 }),
        scored("t3:0 count", { steps: 7 }),
      ],
    });

    expect(tasks.map(({ id }) => values(summary, id, "verifier.reward"))).toEqual([
      [["t0:0", 1]],
      [],
      [["t2:0", null]],
      [["t3:0", 0]],
    ]);
    expect(tasks.map(({ id }) => values(summary, id, "count.steps"))).toEqual([
      [["t0:0", 5]],
      [["t1:0", 9]],
      [["t2:0", null]],
      [["t3:0", 7]],
    ]);
  });

  it("know numbers, booleans and labels apart, and a label NaN from the number", async () => {
    const summary = await summaryOf({
      tasks: [
        task("t", { m: { n: "ContinuousScore", b: "BooleanValue", l: "Label", o: "Tokens" } }),
      ],
      scores: [scored("t:0 m", { n: "NaN", b: true, l: "NaN", o: 3 })],
    });

    expect(summary.taskMetricValues).toEqual({
      t: {
        "m.n": [{ trialId: "t:0", valueType: "number", value: Number.NaN }],
        "m.b": [{ trialId: "t:0", valueType: "number", value: true }],
        "m.l": [{ trialId: "t:0", valueType: "label", value: "NaN" }],
      },
    });
  });

  it("show a declared task that nothing was measured on as empty lists", async () => {
    const summary = await summaryOf({ tasks: [task("t", metrics), task("never", metrics)] });

    expect(summary.taskMetricValues["never"]).toEqual({ "verifier.reward": [], "count.steps": [] });
  });

  it("come in planned order of trials, and by number where there is no plan", async () => {
    const planned = new Map([
      ["t:z", 0],
      ["t:a", 1],
    ]);
    const ids = ["t:10", "t:a", "t:9", "t:z", "t"];
    const summary = await summaryOf({
      tasks: [task("t", reward)],
      scores: ids.map((id) => ({ ...scored(`${id} verifier`, { reward: 1 }), taskId: "t" })),
      trialOrder: (_taskId, trialId) => planned.get(trialId) ?? null,
    });

    expect(values(summary, "t", "verifier.reward")?.map(([id]) => id)).toEqual([
      "t:z",
      "t:a",
      "t",
      "t:9",
      "t:10",
    ]);
  });

  it("keep both entries of trials that share an id", async () => {
    const summary = await summaryOf({
      tasks: [task("t", reward)],
      scores: [scored("t:0 verifier", { reward: 1 }), scored("t:0 verifier", { reward: 0 })],
    });

    expect(values(summary, "t", "verifier.reward")).toEqual([
      ["t:0", 0],
      ["t:0", 1],
    ]);
    expect(aggregate(summary, "verifier.reward.pass@1")).toMatchObject({ mean: 0.5 });
    expect(aggregate(summary, "verifier.reward.pass@2")).toMatchObject({ mean: 1 });
    expect(summary.trialCount).toBe(2);
  });

  it("take the first of an output that a score repeats", async () => {
    const score = scored("t:0 verifier", {});
    const outputs = [
      { name: "reward", value: 1 },
      { name: "reward", value: 0 },
    ];
    const summary = await summaryOf({
      tasks: [task("t", reward)],
      scores: [{ ...score, outputs }],
    });

    expect(values(summary, "t", "verifier.reward")).toEqual([["t:0", 1]]);
  });

  it("keep ids that are names of object members", async () => {
    const metrics = { constructor: { __proto__x: "ContinuousScore" } };
    const odd = { ...task("__proto__", metrics), id: "__proto__" };
    const summary = await summaryOf({
      tasks: [odd],
      scores: [{ ...scored("x constructor", { __proto__x: 1 }), taskId: "__proto__" }],
      trials: [{ id: "x", taskId: "__proto__", error: { type: "__proto__" } }],
    });

    expect(Object.keys(summary.taskMetricValues)).toEqual(["__proto__"]);
    expect(Object.keys(summary.errorTrialIds)).toEqual(["__proto__"]);
    expect(Object.keys(summary.metricCoverage)).toEqual(["constructor"]);
  });
});

describe("pass@k", () => {
  const one = [task("t1", reward), task("t2", reward)];
  const rewards = (taskId: string, ...list: (number | boolean | string)[]) =>
    list.map((value, i) => scored(`${taskId}:${i} verifier`, { reward: value }));

  it.each([
    [
      "trials of two tasks",
      one,
      [...rewards("t1", 1, 0), ...rewards("t2", 1, 1)],
      { 1: { mean: 0.75, count: 2, nanCount: 0 }, 2: { mean: 1, count: 2, nanCount: 0 } },
    ],
    [
      "partial credit, which is no pass",
      [task("t1", reward)],
      rewards("t1", 0.5, 1),
      { 1: { mean: 0.5, count: 1 }, 2: { mean: 1, count: 1 } },
    ],
    [
      "one pass and one trial that failed",
      [task("t1", reward)],
      [...rewards("t1", 1), trialFailed("t1:1 verifier")],
      { 1: { mean: 0.5, count: 1, nanCount: 0 }, 2: { mean: 1, count: 1, nanCount: 0 } },
    ],
    [
      "one pass and one timeout without output, scored as absent",
      [task("t1", reward)],
      rewards("t1", 1, 0),
      { 1: { mean: 0.5, count: 1, nanCount: 0 } },
    ],
    [
      "a metric that raised, which is not charged",
      one,
      [...rewards("t1", 1), metricFailed("t1:1 verifier"), ...rewards("t2", 1, 0)],
      { 1: { mean: 0.75, count: 2, nanCount: 0 }, 2: { mean: 1, count: 1, nanCount: 1 } },
    ],
    [
      "a task with failed metrics only",
      one,
      [...rewards("t1", 1, 1), metricFailed("t2:0 verifier"), metricFailed("t2:1 verifier")],
      { 1: { mean: 1, count: 1, nanCount: 1 }, 2: { mean: 1, count: 1, nanCount: 1 } },
    ],
    [
      "a task that was never scored",
      [...one, task("t3", reward)],
      [...rewards("t1", 1), ...rewards("t2", 0)],
      { 1: { mean: 0.5, count: 2, nanCount: 1 } },
    ],
    [
      "trials that share an id",
      [task("t1", reward)],
      [...rewards("t1", 1), ...rewards("t1", 0)],
      { 1: { mean: 0.5 }, 2: { mean: 1 } },
    ],
    [
      "a label under an output that is declared a number",
      [task("t1", reward)],
      rewards("t1", "good"),
      { 1: { mean: null, count: 0, nanCount: 1 } },
    ],
    [
      "booleans",
      [task("t1", { verifier: { reward: "BooleanValue" } })],
      rewards("t1", true, false),
      { 1: { mean: 0.5 }, 2: { mean: 1 } },
    ],
    [
      "a NaN, which counts and does not pass",
      [task("t1", reward)],
      rewards("t1", "NaN", 1),
      { 1: { mean: 0.5, count: 1 } },
    ],
    [
      "a failed score that names a trial which completed: a metric failure",
      [task("t1", reward)],
      [...rewards("t1", 1), failed("t1:1 verifier", { trial_status: "completed" })],
      { 1: { mean: 1, count: 1 }, 2: { mean: null, count: 0, nanCount: 1 } },
    ],
  ])("is right for %s", async (_case, tasks, scores, expected) => {
    const summary = await summaryOf({ tasks, scores });

    for (const [k, figures] of Object.entries(expected)) {
      expect(aggregate(summary, `verifier.reward.pass@${k}`)).toMatchObject(figures);
    }
  });

  it("agrees with the worked example of five tasks", async () => {
    const ids = ["solved", "flaky", "judged", "unmeasured", "never"];
    const summary = await summaryOf({
      tasks: ids.map((id) => task(id, reward)),
      scores: [
        ...rewards("solved", 1, 1, 1),
        ...rewards("flaky", 1),
        trialFailed("flaky:1 verifier"),
        scored("flaky:2 verifier", { reward: 0 }),
        ...rewards("judged", 1),
        metricFailed("judged:1 verifier"),
        metricFailed("unmeasured:0 verifier"),
      ],
    });

    const passes = [1, 2, 3].map((k) => aggregate(summary, `verifier.reward.pass@${k}`));

    expect(passes.map(({ count, nanCount }) => [count, nanCount])).toEqual([
      [3, 2],
      [2, 3],
      [2, 3],
    ]);
    expect(passes[0]?.mean).toBeCloseTo(7 / 9, 12);
    expect(passes[1]?.mean).toBeCloseTo(5 / 6, 12);
    expect(passes[2]?.mean).toBe(1);
    expect(names(summary)).not.toContain("verifier.reward.pass@4");
  });

  it.each(["DiscreteScore", "Label", "Tokens"])(
    "is not given for outputs declared %s",
    async (schema) => {
      const summary = await summaryOf({
        tasks: [task("t1", { verifier: { reward: schema } })],
        scores: rewards("t1", 1),
      });

      expect(names(summary)).toEqual(["verifier.reward"]);
    },
  );

  it("is eligible task by task, not pooled over tasks", async () => {
    const summary = await summaryOf({
      tasks: [task("t1", reward), task("t2", { verifier: { reward: "DiscreteScore" } })],
      scores: [...rewards("t1", 1), ...rewards("t2", 0, 0)],
    });

    expect(aggregate(summary, "verifier.reward.pass@1")).toMatchObject({
      mean: 1,
      count: 1,
      nanCount: 0,
    });
    expect(names(summary)).not.toContain("verifier.reward.pass@2");
  });

  it("is given up to 16, then at powers of two, then at the largest number of trials", async () => {
    const summary = await summaryOf({
      tasks: [task("t1", reward)],
      scores: rewards("t1", ...Array.from({ length: 70 }, (_, i) => i % 2)),
    });
    const ks = names(summary).flatMap((name) =>
      name.includes("@") ? [Number(name.split("@")[1])] : [],
    );

    expect(ks).toEqual([...Array.from({ length: 16 }, (_, i) => i + 1), 32, 64, 70]);
  });
});

describe("errors of trials", () => {
  it("are listed by type in trial order, whatever the status", async () => {
    const summary = await summaryOf({
      tasks: [task("t", reward)],
      trials: [
        trial("t", "t3", "TimeoutError"),
        trial("t", "t2", "RuntimeError"),
        trial("t", "t1"),
        trial("t", "t0", "RuntimeError"),
      ],
    });

    expect(summary.errorTrialIds).toEqual({ RuntimeError: ["t0", "t2"], TimeoutError: ["t3"] });
    expect(summary.errorCount).toBe(3);
  });

  it("follow the plan over tasks and keep trials that share an id", async () => {
    const summary = await summaryOf({
      tasks: [task("b", reward), task("a", reward)],
      trials: [
        trial("zz", "x", "E"),
        trial("a", "dup", "E"),
        trial("b", "last", "E"),
        trial("a", "dup", "E"),
      ],
    });

    expect(summary.errorTrialIds).toEqual({ E: ["last", "dup", "dup", "x"] });
    expect(summary.errorCount).toBe(4);
  });
});

describe("counts", () => {
  it("keep equal trial ids of different tasks apart", async () => {
    const at = (taskId: string) => ({ ...scored("0 verifier", { reward: 1 }), taskId });
    const summary = await summaryOf({
      tasks: [task("a", reward), task("b", reward)],
      trials: [trial("a", "0"), trial("b", "0")],
      scores: [at("a"), at("b")],
    });

    expect(summary).toMatchObject({ taskCount: 2, trialCount: 2, scoreCount: 2, errorCount: 0 });
  });

  it("include trials that have no scores, and scores of trials that have no row", async () => {
    const tasks = [task("a", reward), task("b", reward)];
    const summary = await summaryOf({
      tasks,
      trials: [trial("a", "a:0"), trial("a", "a:1")],
      scores: [
        scored("b:0 verifier", { reward: 1 }),
        scored("b:1 verifier", { reward: 1 }),
        scored("b:1 other", {}),
      ],
    });

    expect(summary).toMatchObject({ trialCount: 4, scoreCount: 3 });
  });

  it("of an empty run are 0", async () => {
    expect(await summaryOf({ tasks: [task("t", reward)] })).toMatchObject({
      scores: { scores: [] },
      metricCoverage: {},
      taskCount: 1,
      trialCount: 0,
      scoreCount: 0,
    });
  });

  it("know no statistics of metrics that are not declared", async () => {
    const summary = await summaryOf({
      tasks: [task("t", reward)],
      scores: [scored("t:0 other", { reward: 1 }), scored("unknown:0 verifier", { reward: 1 })],
    });

    expect(statisticsOnly(summary)).toEqual([]);
    expect(Object.keys(summary.taskMetricValues)).toEqual(["t"]);
    expect(summary.scoreCount).toBe(2);
  });
});
