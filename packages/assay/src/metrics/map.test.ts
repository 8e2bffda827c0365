import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";

import { type MetricMap, type MetricName, metricFromConfig, metrics } from "./map.ts";

const names = Object.keys(metrics) as MetricName[];

describe("the map of metrics", () => {
  it.each(names)("loads %s, which says what it measures", async (name) => {
    const factory = await metrics[name]();

    expect(factory.type).toBe(name);
    expect(factory.description).toMatch(/(higher|true) is better\.$/);
    expect(factory.jsonSchema()).toMatchObject({ type: "object", additionalProperties: false });
  });

  it("has every folder of a metric, and names them in order", () => {
    const folders = readdirSync(new URL(".", import.meta.url), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && entry.name !== "define")
      .map(({ name }) => name);

    expect(names.map((name) => name.replaceAll("_", "-")).sort()).toStrictEqual(folders.sort());
    expect(names).toStrictEqual([...names].sort());
  });
});

describe("metricFromConfig", () => {
  it("makes a metric from what YAML says", async () => {
    const metric = await metricFromConfig({
      type: "number-check",
      operation: ">",
      left_template: "2",
      right_template: "1",
    });

    expect(metric.config).toStrictEqual({
      operation: ">",
      left_template: "2",
      right_template: "1",
      grammar: "observed",
      unparsed: "unscored",
    });
  });

  it.each([
    ["exact_match", 'no metric is called "exact_match" (did you mean "exact-match"?)'],
    ["exactMatch", 'no metric is called "exactMatch" (did you mean "exact-match"?)'],
    ["agent-phase-success", '(did you mean "agent_phase_success"?)'],
    ["zzzzzzzzzz", "; known: agent_phase_success, command-verifier, "],
    ["constructor", 'no metric is called "constructor"'],
  ])("does not know %s, and says what it knows", async (type, message) => {
    await expect(metricFromConfig({ type })).rejects.toMatchObject({
      code: "ASSAY_NAME_UNKNOWN",
      message: expect.stringContaining(message) as string,
    });
  });

  it("needs a type", async () => {
    await expect(metricFromConfig({ reference: "5" })).rejects.toThrow(
      "a metric needs a `type`, a string, not undefined",
    );
  });

  it("names the metric whose settings are wrong", async () => {
    await expect(metricFromConfig({ type: "exact-match", refrence: "5" })).rejects.toThrow(
      'metric "exact-match": unknown key "refrence" (did you mean "reference"?)',
    );
  });

  it("takes a map of one's own", async () => {
    const own: MetricMap = { mine: metrics.f1 };

    expect((await metricFromConfig({ type: "mine", reference: "5" }, own)).type).toBe("f1");
    await expect(metricFromConfig({ type: "f1", reference: "5" }, own)).rejects.toThrow(
      "known: mine",
    );
  });
});
