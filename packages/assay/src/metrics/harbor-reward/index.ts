import { z } from "zod";

import { defineMetric, type MetricFactory, type StrictSchema } from "../define/define-metric.ts";
import { rewardOf } from "./compute.ts";

const settings = {
  /** Name of the output. */
  outputName: z.string().min(1).default("reward").describe("Name of the output."),
  /** What a trial without a reward is: `zero`, for its agent must answer for it, or `unscored`. */
  missing: z
    .enum(["zero", "unscored"])
    .default("zero")
    .describe(
      "What a trial without a reward is: `zero`, for its agent must answer for it, or `unscored`.",
    ),
};

/**
 * The reward that a Harbor task's own test gave, as the runner `harbor` keeps it in `reward` of the trial's metadata.
 *
 * Output `reward` (see `outputName`): as the task gives it, usually 0 to 1, higher is better. A trial without a reward
 * counts as 0 with a warning, or is unscored, by `missing`. Deterministic, calls no model.
 */
export const harborReward: MetricFactory<StrictSchema<typeof settings>> = defineMetric({
  type: "harbor_reward",
  description: "The reward that the test of a Harbor task gave; higher is better.",
  config: z.strictObject(settings),
  outputs: ({ outputName }) => [{ name: outputName, kind: "continuous" }],
  compute({ candidate }, { outputName, missing }) {
    const reward = rewardOf(candidate.metadata);
    if (reward !== null) return { outputs: { [outputName]: reward } };
    if (missing === "unscored") return { outputs: { [outputName]: null } };
    const message = "the trial has no reward, which counts as 0";
    return { outputs: { [outputName]: 0 }, diagnostics: [{ severity: "warning", message }] };
  },
});
