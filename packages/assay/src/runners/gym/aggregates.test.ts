import { describe, expect, it } from "vitest";

import { gymAggregates } from "./aggregates.ts";

const whole = { "mean/t": 3, "max/t": 4, "min/t": 2, "median/t": 3, "std/t": 2 };

function documentOf(metrics: object, agent = "simple_agent") {
  return { agent_ref: { name: agent }, agent_metrics: metrics };
}

function namesOf(document: unknown) {
  return gymAggregates(document).map(({ name }) => name);
}

// The rows of the specification (runners §10).
describe("figures of Gym over all rollouts", () => {
  it("make one range where all statistics of a figure are there", () => {
    const [turns, ...others] = gymAggregates([documentOf(whole)]);

    expect(others).toStrictEqual([]);
    expect(turns).toMatchObject({
      name: "runner.gym.t",
      scoreType: "range",
      count: null,
      nanCount: 0,
      mean: 3,
      min: 2,
      max: 4,
      median: 3,
      sampleStdDev: 2,
      sampleVariance: 4,
      stdDev: null,
      variance: null,
    });
  });

  it("stay single where one is missing", () => {
    const { "std/t": _std, ...some } = whole;

    expect(gymAggregates([documentOf({ ...some, "std/t": null })])).toMatchObject([
      { name: "runner.gym.mean/t", scoreType: "scalar", value: 3 },
      { name: "runner.gym.max/t", value: 4 },
      { name: "runner.gym.min/t", value: 2 },
      { name: "runner.gym.median/t", value: 3 },
    ]);
  });

  it.each<[string, object, readonly string[]]>([
    ["another number keeps its name", { "pass@1/accuracy": 50 }, ["runner.gym.pass@1/accuracy"]],
    ["a name without a slash", { solved: 0.5 }, ["runner.gym.solved"]],
    ["a slash in the figure", { "mean/a/b": 1 }, ["runner.gym.mean/a/b"]],
    ["the reward, whole", { "mean/reward": 1, "max/reward": 1, "min/reward": 1 }, []],
    ["the reward, bare", { reward: 1 }, []],
    ["a figure that only begins so", { "mean/reward_model": 1 }, ["runner.gym.mean/reward_model"]],
    [
      "what is no finite number",
      { a: true, b: "1", c: null, d: Number.NaN, e: Number.POSITIVE_INFINITY, f: { "mean/x": 1 } },
      [],
    ],
  ])("%s", (_case, metrics, names) => {
    expect(namesOf([documentOf(metrics)])).toStrictEqual(names);
  });

  it("are told by agent, in the order of names, where there are several", () => {
    const document = [documentOf({ x: 1 }, "b"), documentOf({ x: 2 }, "a")];

    expect(gymAggregates(document)).toMatchObject([
      { name: "runner.gym.a.x", value: 2 },
      { name: "runner.gym.b.x", value: 1 },
    ]);
  });

  it.each([
    ["no list", documentOf({ x: 1 })],
    ["nothing", undefined],
    ["text", "[]"],
    ["an agent without a name", [{ agent_ref: {}, agent_metrics: { x: 1 } }]],
    ["no agent", [{ agent_metrics: { x: 1 } }]],
    ["no figures", [{ agent_ref: { name: "a" }, key_metrics: { x: 1 } }]],
    ["entries that are none", [1, null, []]],
  ])("are none in a document of %s", (_case, document) => {
    expect(namesOf(document)).toStrictEqual([]);
  });
});
