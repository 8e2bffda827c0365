import { z } from "zod";

import { describeKind, getOwn } from "../../support/json.ts";
import { defineMetric, type MetricFactory, type StrictSchema } from "./define-metric.ts";

const missingRules = ["zero", "unscored"] as const;
export type MissingReward = (typeof missingRules)[number];

function rewardSettings(missing: MissingReward) {
  return {
    /** Name of the output. */
    outputName: z.string().min(1).default("reward").describe("Name of the output."),
    /** What a trial without a reward gives. */
    missing: z
      .enum(missingRules)
      .default(missing)
      .describe("What a trial without a reward gives: 0, or no score."),
  };
}

export type RewardMetricFactory = MetricFactory<StrictSchema<ReturnType<typeof rewardSettings>>>;

export interface RewardMetricDefinition {
  readonly type: string;
  readonly description: string;
  /** What the harness itself does. */
  readonly missing: MissingReward;
}

/**
 * The reward that a harness gave, from `reward` of the trial's metadata. Only a finite number is one: a boolean or a
 * text is as good as none.
 */
export function defineRewardMetric(definition: RewardMetricDefinition): RewardMetricFactory {
  const { type, description, missing: harnessRule } = definition;
  return defineMetric({
    type,
    description,
    config: z.strictObject(rewardSettings(harnessRule)),
    outputs: ({ outputName, missing }) => [
      {
        name: outputName,
        kind: "continuous",
        description: "The reward; higher is better.",
        absent: missing === "zero" ? 0 : "unscored",
      },
    ],
    compute({ candidate: { metadata } }, { outputName, missing }) {
      const given = getOwn(metadata, "reward");
      if (typeof given === "number" && Number.isFinite(given))
        return { outputs: { [outputName]: given } };
      const kind = given === undefined || given === null ? "no reward" : describeKind(given);
      const message = `the trial has ${kind}${kind === "no reward" ? "" : " for a reward"}`;
      return {
        outputs: { [outputName]: missing === "zero" ? 0 : null },
        diagnostics: [{ severity: "warning", message }],
      };
    },
  });
}
