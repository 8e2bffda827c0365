import { describe, expect, it } from "vitest";

import { UsageMeter } from "./usage.ts";

const most = Number.MAX_SAFE_INTEGER;

describe("a sum of usage that a number cannot hold", () => {
  it("is not known, whatever comes after it", () => {
    const meter = new UsageMeter();
    meter.add({ promptTokens: most, completionTokens: 1, costUsd: Number.MAX_VALUE });
    meter.add({ promptTokens: 1, completionTokens: 2, costUsd: Number.MAX_VALUE });
    meter.add({ promptTokens: 1, completionTokens: 3, costUsd: 1 });
    expect(meter.measurements(1)).toMatchObject({
      promptTokens: null,
      completionTokens: 6,
      costUsd: null,
    });
  });

  it("leaves out single figures that no number holds exactly", () => {
    const meter = new UsageMeter();
    meter.add({ promptTokens: 2 ** 53, costUsd: Number.POSITIVE_INFINITY });
    expect(meter.measurements(1)).toMatchObject({ promptTokens: null, costUsd: null });
  });
});
