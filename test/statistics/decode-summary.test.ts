import { describe, expect, it } from "vitest";

import { decodeSummary } from "../../packages/assay/src/statistics/decode-summary.ts";

const withRecords = (...records: unknown[]) => ({ task_metric_values: { t: { "m.o": records } } });
const valuesOf = (wire: unknown) => decodeSummary(wire).summary.taskMetricValues["t"]?.["m.o"];

describe("reading summary.json", () => {
  it("takes an empty object as all-default", () => {
    expect(decodeSummary({})).toEqual({
      valuesForm: "none",
      summary: {
        scores: { scores: [] },
        metricCoverage: {},
        taskMetricValues: {},
        errorTrialIds: {},
        taskCount: 0,
        trialCount: 0,
        scoreCount: 0,
        errorCount: 0,
      },
    });
  });

  it.each([
    [
      { value_type: "number", value: "NaN" },
      { valueType: "number", value: Number.NaN },
    ],
    [
      { value_type: "number", value: "-Infinity" },
      { valueType: "number", value: -Infinity },
    ],
    [
      { value_type: "number", value: true },
      { valueType: "number", value: true },
    ],
    [
      { value_type: "label", value: "NaN" },
      { valueType: "label", value: "NaN" },
    ],
    [
      { value_type: "missing", value: null },
      { valueType: "missing", value: null },
    ],
    [{ value: "NaN" }, { valueType: "number", value: Number.NaN }],
    [{ value: "Infinity" }, { valueType: "number", value: Infinity }],
    [{ value: "good" }, { valueType: "label", value: "good" }],
    [{ value: null }, { valueType: "missing", value: null }],
    [{ value: 0.5 }, { valueType: "number", value: 0.5 }],
  ])("decodes %j as %j", (record, expected) => {
    expect(valuesOf(withRecords({ trial_id: "t:0", ...record }))).toEqual([
      { trialId: "t:0", ...expected },
    ]);
  });

  it.each([
    ["label", 1],
    ["label", null],
    ["missing", 1],
    ["number", "good"],
    ["number", null],
  ])("refuses type %s with the value %j, naming the trial", (valueType, value) => {
    const wire = withRecords({ trial_id: "t:7", value_type: valueType, value });

    expect(() => decodeSummary(wire)).toThrow(/trial t:7/);
  });

  it("reads the older name and form of the values by task", () => {
    const wire = {
      task_metric_attempts: {
        t: {
          "m.o": [
            { trial_id: "t:0", value: 1 },
            { trial_id: "t:1", value: null },
          ],
        },
      },
    };

    expect(decodeSummary(wire).valuesForm).toBe("attempts");
    expect(valuesOf(wire)).toEqual([
      { trialId: "t:0", valueType: "number", value: 1 },
      { trialId: "t:1", valueType: "missing", value: null },
    ]);
  });

  it.each([
    ["null", null],
    ["a number", 3],
    ["an array", []],
    ["text", "summary"],
    ["a wrong type", { task_count: "3" }],
    ["an unknown key", { surprise: 1 }],
    ["a wrong map", { task_metric_values: { t: [] } }],
    ["a record that is no object", withRecords(7)],
    ["counts of errors that disagree", { error_count: 2, error_trial_ids: { E: ["a"] } }],
  ])("refuses %s as a damaged bundle", (_case, wire) => {
    expect(() => decodeSummary(wire, "summary.json")).toThrow(
      expect.objectContaining({ code: "ASSAY_BUNDLE_DAMAGED" }),
    );
  });
});
