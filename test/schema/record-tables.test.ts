import { describe, expect, it } from "vitest";
import type { z } from "zod";

import { fromWire, toWire } from "../../packages/assay/src/schema/codec.ts";
import {
  evidenceDescriptorSchema,
  evidenceSetSchema,
} from "../../packages/assay/src/schema/evidence.ts";
import { runnerInfoSchema } from "../../packages/assay/src/schema/run-metadata.ts";
import { scoreRecordSchema } from "../../packages/assay/src/schema/score.ts";
import { summarySchema } from "../../packages/assay/src/schema/summary.ts";
import { taskFieldsSchema, taskRecordSchema } from "../../packages/assay/src/schema/task.ts";
import { trialRecordSchema } from "../../packages/assay/src/schema/trial.ts";

type Row = readonly [what: string, wire: unknown, isAccepted: boolean];

function accepts(schema: z.ZodType, wire: unknown): boolean {
  try {
    fromWire(schema, wire, { source: "row" });
    return true;
  } catch {
    return false;
  }
}

const read = <T extends z.ZodType>(schema: T, wire: unknown) =>
  fromWire(schema, wire, { source: "row" });

const trial = { id: "t", task_id: "task", status: "partial" };
const output = { output_text: "5" };

describe("a trial row", () => {
  it.each<Row>([
    ["completed without output", { ...trial, status: "completed" }, false],
    ["completed with an output", { ...trial, status: "completed", output }, true],
    ["completed with an empty output", { ...trial, status: "completed", output: {} }, true],
    ["partial without output", trial, true],
    ["failed without output", { ...trial, status: "failed" }, true],
    ["an unknown status", { ...trial, status: "passed" }, false],
    ["an empty id", { ...trial, id: "" }, false],
    ["an empty task_id", { ...trial, task_id: "" }, false],
    ["no id", { task_id: "task", status: "failed" }, false],
    ["a blank id", { ...trial, id: " " }, true],
    ["an empty error.type", { ...trial, error: { type: "" } }, false],
    ["a blank error.type", { ...trial, error: { type: "   " } }, false],
    ["an error type of another producer", { ...trial, error: { type: "SomeError" } }, true],
    ["an unknown key in error", { ...trial, error: { type: "E", code: 1 } }, false],
    [
      "an error on a completed trial",
      { ...trial, status: "completed", output, error: { type: "E" } },
      true,
    ],
    ["negative tokens", { ...trial, measurements: { prompt_tokens: -1 } }, false],
    ["fractional tokens", { ...trial, measurements: { prompt_tokens: 1.5 } }, false],
    ["a boolean for a cost", { ...trial, measurements: { cost_usd: true } }, false],
    ["measurements that are null", { ...trial, measurements: null }, false],
    ["no measurements", trial, true],
    ["a list as response", { ...trial, output: { response: [1, "a", null] } }, true],
    ["a number as response", { ...trial, output: { response: 0 } }, true],
    ["a number as output_text", { ...trial, output: { output_text: 5 } }, false],
    ["metadata that is a list", { ...trial, metadata: [] }, false],
    ["an unknown key", { ...trial, reward: 1 }, false],
    ["evidence that is null", { ...trial, evidence: null }, true],
    ["evidence that is a list", { ...trial, evidence: [] }, false],
  ])("with %s: accepted is %s", (_what, wire, isAccepted) => {
    expect(accepts(trialRecordSchema, wire)).toBe(isAccepted);
  });

  it("takes a bare map of descriptors as its evidence and writes it in full", () => {
    const evidence = {
      final_state: { kind: "filesystem", ref: "a" },
      trace: { kind: "trace", data: {} },
    };

    const { evidence: stored } = toWire(
      trialRecordSchema,
      read(trialRecordSchema, { ...trial, evidence }),
    ) as {
      evidence: unknown;
    };

    expect(stored).toStrictEqual({
      descriptors: {
        final_state: {
          kind: "filesystem",
          ref: "a",
          format: null,
          data: null,
          description: null,
          metadata: {},
        },
        trace: {
          kind: "trace",
          ref: null,
          format: null,
          data: {},
          description: null,
          metadata: {},
        },
      },
      metadata: {},
    });
  });

  it("is not interpreted: an exception or token counts in metadata stay there and nowhere else", () => {
    const metadata = { exception_type: "TimeoutError", prompt_tokens: 5 };

    const row = read(trialRecordSchema, { ...trial, metadata });

    expect(row.metadata).toStrictEqual(metadata);
    expect(row.error).toBeNull();
    expect(row.measurements.promptTokens).toBeNull();
  });

  it("keeps the time of an error exactly as its producer wrote it", () => {
    const times = [
      "2026-08-01T10:00:00",
      "2026-08-01T10:00:00+02:00",
      "2026-08-01T10:00:00.1Z",
      "yesterday",
    ];

    for (const occurred_at of times) {
      const error = { type: "E", message: "m", traceback: "t", occurred_at };
      const back = toWire(trialRecordSchema, read(trialRecordSchema, { ...trial, error })) as {
        error: unknown;
      };
      expect(back.error).toStrictEqual(error);
    }
  });
});

describe("an evidence descriptor", () => {
  it.each<Row>([
    ["neither ref nor data", { kind: "logs" }, false],
    ["null for both", { kind: "logs", ref: null, data: null }, false],
    ["a ref", { kind: "logs", ref: "evidence/logs" }, true],
    ["an empty ref", { kind: "logs", ref: "" }, true],
    ["a remote ref", { kind: "filesystem", ref: "s3://bucket/key" }, true],
    ["data 0", { kind: "x", data: 0 }, true],
    ["data false", { kind: "x", data: false }, true],
    ["data that is an empty text", { kind: "x", data: "" }, true],
    ["data that is an empty list", { kind: "x", data: [] }, true],
    ["no kind", { ref: "a" }, false],
    ["a kind of the producer's own", { kind: "agent_stream_events", ref: "a" }, true],
    ["an unknown key", { kind: "x", ref: "a", path: "b" }, false],
    ["metadata that is no object", { kind: "x", ref: "a", metadata: "b" }, false],
  ])("with %s: accepted is %s", (_what, wire, isAccepted) => {
    expect(accepts(evidenceDescriptorSchema, wire)).toBe(isAccepted);
  });
});

describe("an evidence set", () => {
  const descriptor = { kind: "x", ref: "a" };
  const inTrial = (evidence: unknown) => ({ ...trial, evidence });

  it.each<Row>([
    ["descriptors and metadata", { descriptors: { a: descriptor }, metadata: { b: 1 } }, true],
    ["descriptors alone", { descriptors: { a: descriptor } }, true],
    ["metadata alone", { metadata: {} }, true],
    ["nothing", {}, true],
    ["a bare map", { a: descriptor, b: descriptor }, true],
    ["a bare map with an item named metadata", { a: descriptor, metadata: descriptor }, false],
    [
      "a bare map with an item named descriptors",
      { a: descriptor, descriptors: descriptor },
      false,
    ],
    ["a bare map with a wrong descriptor", { a: { kind: "x" } }, false],
    ["a descriptor that is null", { descriptors: { a: null } }, false],
  ])("with %s: accepted is %s", (_what, evidence, isAccepted) => {
    expect(accepts(trialRecordSchema, inTrial(evidence))).toBe(isAccepted);
  });

  it("keeps its names in the order they were given", () => {
    const names = ["z", "a", "__proto__", "m"];
    const descriptors = Object.fromEntries(names.map((name) => [name, descriptor]));

    expect(Object.keys(read(evidenceSetSchema, { descriptors }).descriptors)).toStrictEqual(names);
  });
});

const score = {
  id: "R:t:t:0:m",
  run_id: "R",
  task_id: "t",
  trial_id: "t:0",
  metric_type: "m",
  status: "completed",
};

describe("a score row", () => {
  it.each<Row>([
    ["its keys alone", score, true],
    ["partial status", { ...score, status: "partial" }, true],
    ["a status of another kind", { ...score, status: "unscored" }, false],
    [
      "a number, a flag, a label and an object as values",
      {
        ...score,
        outputs: [
          { name: "n", value: 0.5 },
          { name: "b", value: false },
          { name: "l", value: "good" },
          { name: "o", value: { a: [1] } },
        ],
      },
      true,
    ],
    ["null as a value", { ...score, outputs: [{ name: "n", value: null }] }, true],
    ["an output without a name", { ...score, outputs: [{ name: "", value: 1 }] }, false],
    ["an output without a value", { ...score, outputs: [{ name: "n" }] }, false],
    [
      "a failed trial's diagnostic",
      {
        ...score,
        status: "failed",
        diagnostics: [
          { severity: "error", message: "m", source: "m", details: { trial_status: "failed" } },
        ],
      },
      true,
    ],
    [
      "a diagnostic of unknown severity",
      { ...score, diagnostics: [{ severity: "fatal", message: "m" }] },
      false,
    ],
    [
      "a diagnostic without source and details",
      { ...score, diagnostics: [{ severity: "info", message: "" }] },
      true,
    ],
    ["no metric_type", { ...score, metric_type: "" }, false],
    ["an unknown key", { ...score, value: 1 }, false],
  ])("with %s: accepted is %s", (_what, wire, isAccepted) => {
    expect(accepts(scoreRecordSchema, wire)).toBe(isAccepted);
  });
});

const task = { id: "t", intent: "", inputs: {} };

describe("the data of a task", () => {
  it.each<Row>([
    ["id, intent and inputs", task, true],
    ["an empty id", { ...task, id: "" }, false],
    ["no intent", { id: "t", inputs: {} }, false],
    ["no inputs", { id: "t", intent: "" }, false],
    ["inputs that are a list", { ...task, inputs: [] }, false],
    ["inputs without an instruction", { ...task, inputs: { files: {} } }, true],
    ["a reference that is a text", { ...task, reference: "5" }, false],
    ["metadata that is null", { ...task, metadata: null }, false],
    ["a view without signals", { ...task, views: { v: { reducer: "all", signals: [] } } }, false],
    [
      "a view with an unknown reducer",
      { ...task, views: { v: { reducer: "max", signals: [{ metric: "m", output: "o" }] } } },
      false,
    ],
    [
      "a view with a weight",
      {
        ...task,
        views: {
          v: { reducer: "weighted_mean", signals: [{ metric: "m", output: "o", weight: 2 }] },
        },
      },
      true,
    ],
    [
      "a view with a weight that is a text",
      {
        ...task,
        views: {
          v: { reducer: "weighted_mean", signals: [{ metric: "m", output: "o", weight: "2" }] },
        },
      },
      false,
    ],
    [
      "a signal without an output",
      { ...task, views: { v: { reducer: "all", signals: [{ metric: "m" }] } } },
      false,
    ],
    ["the key `prompt`", { ...task, prompt: "x" }, false],
  ])("with %s: accepted is %s", (_what, wire, isAccepted) => {
    expect(accepts(taskFieldsSchema, wire)).toBe(isAccepted);
  });

  it.each<Row>([
    [
      "a metric descriptor",
      { ...task, metrics: [{ type: "m", outputs: [{ name: "o", value_schema: "Label" }] }] },
      true,
    ],
    ["a metric without outputs", { ...task, metrics: [{ type: "m", outputs: [] }] }, false],
    [
      "a metric with settings, which rows do not hold",
      {
        ...task,
        metrics: [{ type: "m", outputs: [{ name: "o", value_schema: "Label" }], threshold: 1 }],
      },
      false,
    ],
    ["no metrics", task, true],
  ])("as a row with %s: accepted is %s", (_what, wire, isAccepted) => {
    expect(accepts(taskRecordSchema, wire)).toBe(isAccepted);
  });
});

describe("runner info", () => {
  it.each<Row>([
    ["a name alone", { name: "callable" }, true],
    ["no name", { config: {} }, false],
    ["an empty name", { name: "" }, false],
    ["a kind of no known sort", { name: "a", kind: "service" }, false],
    ["an unknown key", { name: "a", model: "m" }, false],
    ["config that is no JSON", { name: "a", config: { f: () => 1 } }, false],
  ])("with %s: accepted is %s", (_what, wire, isAccepted) => {
    expect(accepts(runnerInfoSchema, wire)).toBe(isAccepted);
  });

  it("is of kind runner, without a version and settings, unless it says otherwise", () => {
    expect(read(runnerInfoSchema, { name: "a" })).toStrictEqual({
      name: "a",
      kind: "runner",
      version: null,
      config: {},
    });
  });
});

describe("a summary", () => {
  it("loads an empty object as all defaults", () => {
    expect(toWire(summarySchema, read(summarySchema, {}))).toStrictEqual({
      scores: { scores: [] },
      metric_coverage: {},
      task_metric_values: {},
      error_trial_ids: {},
      task_count: 0,
      trial_count: 0,
      score_count: 0,
      error_count: 0,
    });
  });

  it.each<Row>([
    ["null", null, false],
    ["a number", 5, false],
    ["a list", [], false],
    ["a text", "x", false],
    ["an extra key", { benchmark: {} }, false],
    ["a count that is a text", { task_count: "1" }, false],
    ["a negative count", { task_count: -1 }, false],
    [
      "an aggregate of an unknown type",
      { scores: { scores: [{ name: "a", score_type: "median" }] } },
      false,
    ],
    [
      "an aggregate that has no known count",
      { scores: { scores: [{ name: "a", score_type: "scalar", value: 1, count: null }] } },
      true,
    ],
  ])("that is or has %s: accepted is %s", (_what, wire, isAccepted) => {
    expect(accepts(summarySchema, wire)).toBe(isAccepted);
  });
});
