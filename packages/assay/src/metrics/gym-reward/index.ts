import { defineRewardMetric, type RewardMetricFactory } from "../define/reward-metric.ts";

/**
 * The reward that NeMo Gym gave, from `reward` of the trial's metadata.
 *
 * One continuous output, `reward` by default; higher is better. A trial whose reward is missing, or is no number, is
 * unscored, as in Gym; with `missing: "zero"` it is 0. Deterministic, calls no model.
 */
export const gymReward: RewardMetricFactory = defineRewardMetric({
  type: "gym_reward",
  description: "The reward that NeMo Gym gave; higher is better.",
  missing: "unscored",
});
