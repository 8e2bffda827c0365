import { describe, expect, it } from "vitest";

import {
  aggregateRecord,
  type RecordView,
  scoreRecord,
  toRecords,
} from "../../../packages/assay/src/report/text/records.ts";
import { aggregateSchema } from "../../../packages/assay/src/schema/summary.ts";
import { runOf, scoreOf, taskOf, trialOf } from "./run.ts";

describe("a record of a score", () => {
  it("has outputs and metadata as flat columns", () => {
    const metadata = { row_index: 3, trial_metadata: { agent_ok: true, nested: { a: [1] } } };

    expect(scoreRecord(scoreOf("t", "t:0", "m", { value: 0.5, metadata }))).toEqual({
      id: "R:t:t:0:m",
      run_id: "R",
      task_id: "t",
      trial_id: "t:0",
      metric_type: "m",
      status: "completed",
      "output.out": 0.5,
      "metadata.row_index": 3,
      "metadata.trial_metadata.agent_ok": true,
      "metadata.trial_metadata.nested.a": [1],
    });
  });

  it("joins error messages and keeps all diagnostics as JSON", () => {
    const failed = scoreOf("t", "t:0", "m", { error: "first", details: { exception_type: "E" } });
    const note = { severity: "info" as const, message: "note", source: null, details: {} };
    const second = { ...note, severity: "error" as const, message: "second" };

    const record = scoreRecord({ ...failed, diagnostics: [...failed.diagnostics, note, second] });

    expect(record["error"]).toBe("first; second");
    expect(JSON.parse(String(record["diagnostics.m"]))).toEqual([
      { severity: "error", message: "first", source: "m", details: { exception_type: "E" } },
      { severity: "info", message: "note", source: null, details: {} },
      { severity: "error", message: "second", source: null, details: {} },
    ]);
  });

  it("has no error column for diagnostics that are no errors", () => {
    const record = scoreRecord(
      scoreOf("t", "t:0", "m", { error: "odd", details: { unscored_reason: "NON_FINITE" } }),
    );

    expect(record).not.toHaveProperty("error");
    expect(record).toHaveProperty(["diagnostics.m"]);
  });
});

describe("a record of an aggregate", () => {
  it("has percentiles as columns and the histogram as JSON", () => {
    const record = aggregateRecord(
      aggregateSchema.parse({
        name: "m.out",
        scoreType: "range",
        count: 1,
        mean: 5,
        percentiles: Object.fromEntries(
          ["p10", "p20", "p30", "p40", "p50", "p60", "p70", "p80", "p90", "p100"].map((p) => [
            p,
            5,
          ]),
        ),
        histogram: { bins: [{ lowerBound: 5, upperBound: 5, count: 1 }] },
      }),
    );

    expect(record).toMatchObject({
      name: "m.out",
      count: 1,
      mean: 5,
      sample_std_dev: null,
      "percentiles.p50": 5,
    });
    expect(record).not.toHaveProperty("percentiles");
    expect(JSON.parse(String(record["histogram"]))).toEqual({
      bins: [{ lower_bound: 5, upper_bound: 5, count: 1 }],
    });
  });
});

describe("records of a run", () => {
  const tasks = [taskOf("b", "m", "a"), taskOf("a", "m")];
  const trials = [trialOf("b", "b:0"), trialOf("a", "a:0")];
  const scores = [
    scoreOf("a", "a:0", "m", { value: 1 }),
    scoreOf("b", "b:10", "m", { value: 1 }),
    scoreOf("b", "b:2", "a", { value: 1 }),
    scoreOf("b", "b:2", "m", { value: 1 }),
  ];

  it("come in plan order: task, trial, metric as the task lists them", async () => {
    const records = await toRecords(runOf(tasks, trials, scores), "rows");

    expect(records.map((record) => `${record["trial_id"]} ${record["metric_type"]}`)).toEqual([
      "b:2 m",
      "b:2 a",
      "b:10 m",
      "a:0 m",
    ]);
  });

  it("by aggregate are one per aggregate score", async () => {
    const run = runOf(tasks, trials, scores);

    expect((await toRecords(run, "aggregate")).map(({ name }) => name)).toEqual(
      run.summary.scores.scores.map(({ name }) => name),
    );
  });

  it.each(["rows", "aggregate"] as const)("of an empty run are none (%s)", async (view) => {
    expect(await toRecords(runOf([], [], []), view)).toEqual([]);
  });

  it("refuse an unknown view, naming both that there are", async () => {
    const records = toRecords(runOf([], [], []), "columns" as RecordView);

    await expect(records).rejects.toThrow('"rows" or "aggregate", not "columns"');
  });
});
