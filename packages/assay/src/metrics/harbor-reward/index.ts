import { defineRewardMetric, type RewardMetricFactory } from "../define/reward-metric.ts";

/**
 * The reward that the test of a Harbor task gave, from `reward` of the trial's metadata.
 *
 * One continuous output, `reward` by default; higher is better. A trial whose reward is missing, or is no number, is 0,
 * as in Harbor; with `missing: "unscored"` it is unscored. Deterministic, calls no model.
 */
export const harborReward: RewardMetricFactory = defineRewardMetric({
  type: "harbor_reward",
  description: "The reward that the test of a Harbor task gave; higher is better.",
  missing: "zero",
});
