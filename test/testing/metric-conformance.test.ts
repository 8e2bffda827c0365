import { describe, expect, it } from "vitest";

import type { Metric, MetricResult } from "../../packages/assay/src/contracts/metric.ts";
import { metricConformance } from "../../packages/assay/src/testing/metric-conformance.ts";
import { metricContextOf, metricInput } from "../support/metric-trial.ts";

const sound: Metric = {
  type: "sound",
  version: null,
  config: { limit: 1 },
  outputs: [{ name: "x", kind: "continuous", description: null, absent: 0 }],
  needs: [],
  compute: async () => ({ outputs: { x: 1 } }),
};

// Metrics of these tests end within the current turn, so the next one is late.
const hasty = {
  ...metricContextOf().clock,
  sleep: () => new Promise<void>((resolve) => setImmediate(resolve)),
};

async function broken(make: () => Metric): Promise<string[]> {
  const cases = [
    { name: "trial", input: metricInput({ metadata: { list: [1] }, outputText: "a" }) },
  ];
  const failed: string[] = [];
  for (const { name, run } of metricConformance({
    make,
    cases,
    context: { ...metricContextOf(), clock: hasty },
  })) {
    await run().catch(() => failed.push(name));
  }
  return failed;
}

let count = 0;
const next = () => {
  count += 1;
  return count;
};
const counting = async (): Promise<MetricResult> => ({ outputs: { x: next() } });

describe("the conformance kit of metrics", () => {
  it("passes a sound metric", async () => {
    expect(await broken(() => sound)).toStrictEqual([]);
  });

  it.each<[string, () => Metric, string]>([
    [
      "the same output twice",
      () => ({ ...sound, outputs: [...sound.outputs, ...sound.outputs] }),
      "has a type, a configuration and outputs of different names",
    ],
    [
      "no outputs",
      () => ({ ...sound, outputs: [] }),
      "has a type, a configuration and outputs of different names",
    ],
    [
      "a configuration that changes",
      () => ({ ...sound, config: { made: next() } }),
      "gives the same configuration, byte for byte, for the same settings",
    ],
    [
      "an absent value of another kind",
      () => ({ ...sound, outputs: [{ ...sound.outputs[0]!, absent: "none" }] }),
      "declares absent values that fit their outputs",
    ],
    [
      "an absent value that is no value",
      () => ({ ...sound, outputs: [{ ...sound.outputs[0]!, absent: Number.NaN }] }),
      "declares absent values that fit their outputs",
    ],
    [
      "an undeclared output",
      () => ({ ...sound, compute: async () => ({ outputs: { x: 1, y: 1 } }) }),
      "trial: gives every declared output, of its kind",
    ],
    [
      "another result each time",
      () => ({ ...sound, compute: counting }),
      "trial: gives the same result again",
    ],
    [
      "diagnostics that are no JSON",
      () => ({
        ...sound,
        compute: async () => ({
          outputs: { x: 1 },
          diagnostics: [{ message: "m", details: { n: Number.NaN } }],
        }),
      }),
      "trial: gives diagnostics that can be stored",
    ],
    [
      "a changed input",
      () => ({
        ...sound,
        compute: async ({ candidate }) => {
          (candidate.metadata["list"] as number[]).push(2);
          return { outputs: { x: 1 } };
        },
      }),
      "trial: changes nothing of what it is given",
    ],
    [
      "deafness to being cancelled",
      () => {
        const started: { isCancelled: boolean } = { isCancelled: false };
        return {
          ...sound,
          compute: async (_input, { signal }) => {
            signal.addEventListener("abort", () => {
              started.isCancelled = true;
            });
            await Promise.resolve();
            return started.isCancelled ? await new Promise(() => {}) : { outputs: { x: 1 } };
          },
        };
      },
      "trial: ends when it is cancelled",
    ],
  ])("finds %s", async (_case, make, check) => {
    expect(await broken(make)).toContain(check);
  });
});
