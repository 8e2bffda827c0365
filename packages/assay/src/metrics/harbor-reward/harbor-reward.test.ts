import { describe, expect, it } from "vitest";

import { metricContextOf, metricInput } from "../../../../../test/support/metric-trial.ts";
import type { JsonObject } from "../../support/json.ts";
import { metricConformance } from "../../testing/metric-conformance.ts";
import { harborReward } from "./index.ts";

async function score(metadata: JsonObject, config: Parameters<typeof harborReward>[0] = {}) {
  const input = metricInput({ metadata });
  return await harborReward(config).compute(input, metricContextOf());
}

describe("harborReward", () => {
  it.each<[JsonObject, number]>([
    [{ reward: 1 }, 1],
    [{ reward: 0 }, 0],
    [{ reward: -0.5 }, -0.5],
    [{ reward: 12.25 }, 12.25],
  ])("of %j is %d, without a word", async (metadata, value) => {
    expect(await score(metadata)).toStrictEqual({ outputs: { reward: value } });
  });

  it.each<[JsonObject]>([
    [{}],
    [{ reward: null }],
    [{ reward: true }],
    [{ reward: "1" }],
    [{ reward: Number.NaN }],
    [{ reward: Number.POSITIVE_INFINITY }],
    [Object.create({ reward: 1 }) as JsonObject],
  ])("of %j is 0 with a warning, or unscored where that is chosen", async (metadata) => {
    expect(await score(metadata)).toMatchObject({
      outputs: { reward: 0 },
      diagnostics: [{ severity: "warning" }],
    });
    const unscored = await score(metadata, { missing: "unscored", outputName: "r" });
    expect(unscored).toMatchObject({ outputs: { r: null } });
  });

  it("asks for nothing of the trial but its metadata, so that one without output is scored too", () => {
    expect(harborReward().needs).toStrictEqual([]);
    expect(() => harborReward.fromConfig({ missing: "one" })).toThrow("missing");
  });

  describe("keeps the contract", () => {
    const cases = [{ name: "a solved task", input: metricInput({ metadata: { reward: 1 } }) }];

    for (const { name, run } of metricConformance({
      make: () => harborReward(),
      cases,
      context: metricContextOf(),
    })) {
      it(name, run);
    }
  });
});
