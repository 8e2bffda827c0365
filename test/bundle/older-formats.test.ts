import { describe, expect, it } from "vitest";

import { bundleGaps } from "../../packages/assay/src/bundle/older-formats.ts";
import { nodeEngine } from "../../packages/assay/src/engine/node-engine.ts";
import { readResult } from "../../packages/assay/src/engine/results/read-result.ts";
import { suiteOf } from "../engine/rescore-kit.ts";
import { bench, constant, refusal, rowsOf, task } from "../engine/run-kit.ts";
import { foreignBundle } from "./foreign-bundle.ts";

const platform = await nodeEngine({ env: {}, cwd: "/" });

const measured = { trialId: "sum-1:0", valueType: "number", value: 1 };
const notProduced = { trialId: "sum-1:1", valueType: "missing", value: null };

/** `summary.json` without the keys of later generations. */
function summaryText(more: object, mean = "1.0"): string {
  const counts = { task_count: 1, trial_count: 2, score_count: 2 };
  const text = JSON.stringify({
    ...counts,
    scores: {
      scores: [
        {
          name: "exact-match.exact-match",
          score_type: "range",
          count: 1,
          nan_count: 1,
          mean: "MEAN",
          histogram: null,
        },
      ],
    },
    ...more,
  });
  return text.replace('"MEAN"', mean);
}

const oldest = {
  "metadata.json": null,
  "benchmark.json": '{"name":"sums","version":3}',
  "run.json":
    '{"artifacts":{"benchmark":"benchmark.json"},"dashboard_path":null,"output_dir":"/launch","run_id":"R"}',
  "summary.json": summaryText({}),
};

const generations = [
  {
    of: "the oldest generation, with benchmark.json",
    files: oldest,
    gaps: ["no_metadata", "no_task_values", "population_figures"],
    values: [measured, notProduced],
    target: null,
  },
  {
    of: "the one without values by task",
    files: { "summary.json": summaryText({}) },
    gaps: ["no_task_values", "population_figures"],
    values: [measured, notProduced],
    target: "callable",
  },
  {
    of: "the one with task_metric_attempts",
    files: {
      "summary.json": summaryText({
        task_metric_attempts: {
          "sum-1": {
            "exact-match.exact-match": [
              { trial_id: "sum-1:0", value: 1 },
              { trial_id: "sum-1:1", value: null },
            ],
          },
        },
      }),
    },
    gaps: ["numeric_task_values", "population_figures"],
    values: [measured, notProduced],
    target: "callable",
  },
  {
    of: "the one with task_metric_values",
    files: {},
    gaps: [],
    values: [measured, notProduced],
    target: "callable",
  },
] as const;

describe("a bundle of another writer of", () => {
  it.each(generations)("$of is read, and what it lacks is said", async (given) => {
    const bundle = await readResult(foreignBundle(given.files), platform);

    expect(bundle.summary.taskMetricValues["sum-1"]).toEqual({
      "exact-match.exact-match": given.values,
    });
    expect(bundle.metadata.target?.name ?? null).toBe(given.target);
    expect(await bundle.formatSummary()).toContain("sum-1");
    expect(bundle.gaps).toEqual(given.gaps.map((gap) => bundleGaps[gap]));
  });

  it.each(generations)("$of is scored again, and its lineage says what is known", async (given) => {
    const { evaluator, root, workDir, events, onEvent } = bench();
    const suite = await suiteOf(root, [task("sum-1")], [constant(0.5)]);

    const result = await evaluator.rescore(foreignBundle(given.files), suite, { workDir, onEvent });

    const { scores } = await rowsOf(result);
    const values = new Map(scores.map(({ trialId, outputs }) => [trialId, outputs[0]?.value]));
    expect(values).toEqual(
      new Map([
        ["sum-1:0", 0.5],
        ["sum-1:1", undefined],
      ]),
    );
    const { provenance } = await readResult(workDir, platform);
    expect(provenance).toMatchObject({
      predicate: {
        parents: [
          {
            relation: "rescored",
            run_id: "R",
            target: given.target === null ? null : { name: given.target },
            bundle_digest: { unknown: expect.any(String) },
          },
        ],
      },
    });
    const told = events.flatMap((event) => (event.type === "warning" ? [event.message] : []));
    expect(told[0]).toMatch(/^the bundle has no digests/);
    expect(told.some((text) => text.includes("benchmark.json"))).toBe(given.target === null);
  });
});

const trialRow = (cost: string, text = '"NaN is no number"') =>
  `{"id":"sum-1:0","task_id":"sum-1","status":"completed","output":{"output_text":${text},"response":null,"metadata":{"loss":NaN}},"measurements":{"cost_usd":${cost}},"metadata":{"deep":[{"x":-Infinity}]}}\n`;

const scoreRow = (value: string) =>
  `{"id":"R:sum-1:sum-1:0:exact-match","run_id":"R","task_id":"sum-1","trial_id":"sum-1:0","metric_type":"exact-match","status":"completed","outputs":[{"name":"exact-match","value":${value}}],"diagnostics":[],"metadata":{}}\n`;

describe("NaN and the infinities, bare in a bundle of another writer,", () => {
  it.each([
    ["in a value", "scores.jsonl", scoreRow("NaN"), "NaN"],
    ["in an infinite value", "scores.jsonl", scoreRow("-Infinity"), "-Infinity"],
    ["inside of a value", "scores.jsonl", scoreRow('{"a":NaN,"b":1}'), { a: "NaN", b: 1 }],
    [
      "beside text that says the same",
      "scores.jsonl",
      scoreRow('["NaN","a\\\\",NaN]'),
      ["NaN", "a\\", "NaN"],
    ],
  ])("%s are read as strict JSON has them", async (_where, file, text, value) => {
    const bundle = await readResult(foreignBundle({ [file]: text }), platform);

    const [score] = await bundle.scores.toArray();

    expect(score?.outputs).toEqual([{ name: "exact-match", value }]);
    expect(bundle.gaps).toEqual([bundleGaps.bare_numbers]);
  });

  it.each(["NaN", "Infinity", "-Infinity"])(
    "where only a number can stand, %s is no value",
    async (token) => {
      const files = {
        "trials.jsonl": trialRow(token),
        "summary.json": summaryText({ task_metric_values: {} }, token),
      };
      const bundle = await readResult(foreignBundle(files), platform);

      const [trial] = await bundle.trials.toArray();

      expect(trial).toMatchObject({
        measurements: { costUsd: null },
        output: { outputText: "NaN is no number" },
      });
      expect(bundle.summary.scores.scores[0]).toMatchObject({ count: 1, mean: null });
    },
  );

  it("are no value of the task either, in the oldest values by task", async () => {
    const attempts = '{"sum-1":{"m.o":[{"trial_id":"sum-1:0","value":NaN}]}}';
    const files = { "summary.json": `{"task_metric_attempts":${attempts}}` };

    const { summary } = await readResult(foreignBundle(files), platform);

    expect(summary.taskMetricValues["sum-1"]).toEqual({
      "m.o": [{ trialId: "sum-1:0", valueType: "number", value: Number.NaN }],
    });
  });

  it.each([
    ["a word of its own", scoreRow("NaNny")],
    ["a minus sign before NaN", scoreRow("-NaN")],
    ["text that does not end", '{"id":"NaN'],
    ["Python's True", scoreRow("[NaN, True]")],
  ])("do not excuse %s: the line is named", async (_what, text) => {
    const bundle = await readResult(foreignBundle({ "scores.jsonl": text }), platform);

    expect(await refusal(() => bundle.scores.toArray())).toMatchObject({
      code: "ASSAY_BUNDLE_DAMAGED",
      message: expect.stringContaining("scores.jsonl:1"),
    });
  });
});
