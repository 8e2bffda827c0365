import { describe, expect, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import type { JsonValue } from "../../support/json.ts";
import { metricConformance } from "../../testing/metric-conformance.ts";
import { gymReward } from "./index.ts";

const context = metricContextOf();

async function scoreOf(reward: JsonValue | undefined, missing?: "zero" | "unscored") {
  const metadata = reward === undefined ? {} : { reward };
  const metric = gymReward(missing === undefined ? {} : { missing });
  const { outputs, diagnostics = [] } = await metric.compute(metricInput({ metadata }), context);
  return { reward: outputs["reward"], told: diagnostics.map(({ message }) => message) };
}

describe("the reward of Gym", () => {
  it.each([0, 1, -1, 0.25])("is %d where Gym gave that", async (reward) => {
    expect(await scoreOf(reward)).toStrictEqual({ reward, told: [] });
  });

  it.each<[JsonValue | undefined, string]>([
    [undefined, "no reward"],
    [null, "no reward"],
    ["1", "a string for a reward"],
    [true, "a boolean for a reward"],
    [Number.NaN, "a number for a reward"],
    [{ value: 1 }, "an object for a reward"],
  ])("of a trial with %j is unscored, or 0 where that is asked for", async (reward, told) => {
    expect(await scoreOf(reward)).toStrictEqual({
      reward: null,
      told: [`the trial has ${told}`],
    });
    expect((await scoreOf(reward, "zero")).reward).toBe(0);
  });

  it("has no value on a trial that did not end well, or 0 where that is asked for", () => {
    expect(gymReward().outputs).toMatchObject([{ name: "reward", absent: "unscored" }]);
    expect(gymReward({ missing: "zero", outputName: "points" }).outputs).toMatchObject([
      { name: "points", absent: 0 },
    ]);
  });

  it("does not read what objects inherit", async () => {
    const metadata = Object.create({ reward: 1 });

    const { outputs } = await gymReward().compute(metricInput({ metadata }), context);

    expect(outputs).toStrictEqual({ reward: null });
  });

  it.each([{ missing: "one" }, { output_name: "" }, { reward_key: "x" }])(
    "refuses %j",
    (config) => {
      expect(() => gymReward.fromConfig(config)).toThrow('metric "gym_reward"');
    },
  );

  describe("keeps the contract", () => {
    const cases = [
      { name: "a reward", input: metricInput({ metadata: { reward: 0.5 } }) },
      { name: "none", input: metricInput() },
    ];

    for (const { name, run } of metricConformance({ make: () => gymReward(), cases, context }))
      it(name, run);
  });
});
