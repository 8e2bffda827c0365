import { describe, expect, it } from "vitest";

import { acceptRunnerAggregates } from "../../../packages/assay/src/engine/summarise/runner-aggregates.ts";
import { type Aggregate, aggregateSchema } from "../../../packages/assay/src/schema/summary.ts";

const scalar = (name: string): Aggregate =>
  aggregateSchema.parse({ name, scoreType: "scalar", value: 0.6 });
const keptNames = (runner: string | null, ...names: string[]) =>
  acceptRunnerAggregates(runner, names.map(scalar)).kept.map(({ name }) => name);

describe("aggregates of a runner", () => {
  it("are kept below the runner's own name, in the order given", () => {
    expect(keptNames("gym", "runner.gym.pass@1", "runner.gym.a")).toEqual([
      "runner.gym.pass@1",
      "runner.gym.a",
    ]);
  });

  it("are dropped and named elsewhere", () => {
    const foreign = [
      "gym_reward.reward",
      "runner.harbor.pass@1",
      "runner.gymnasium.x",
      "runner.gym.",
    ];

    expect(acceptRunnerAggregates("gym", foreign.map(scalar))).toEqual({
      kept: [],
      dropped: foreign,
    });
  });

  it("need only the prefix when the runner has no name", () => {
    expect(keptNames(null, "runner.any.x", "other.x")).toEqual(["runner.any.x"]);
  });

  it.each([
    [{ name: "runner.gym.x", scoreType: "scalar", value: Number.NaN }, "runner.gym.x"],
    [{ name: "runner.gym.x", score_type: "scalar", value: 1 }, "runner.gym.x"],
    [{ value: 1 }, "(without a name)"],
    [null, "(without a name)"],
  ])("are dropped when they are no aggregates: %j", (given, name) => {
    const { kept, dropped } = acceptRunnerAggregates("gym", [given as unknown as Aggregate]);

    expect(kept).toEqual([]);
    expect(dropped).toEqual([name]);
  });

  it("of none are none", () => {
    expect(acceptRunnerAggregates("gym", [])).toEqual({ kept: [], dropped: [] });
  });
});
