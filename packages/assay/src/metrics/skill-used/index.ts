import { z } from "zod";

import { defineMetric, type MetricFactory, type StrictSchema } from "../define/define-metric.ts";
import { findTrajectory, traceEvidenceSetting } from "../define/find-trajectory.ts";
import { givenSkills, locationsOf, metLocation } from "./compute.ts";

const settings = {
  /** Which evidence holds the trajectory. */
  traceEvidence: traceEvidenceSetting,
};

/**
 * Whether the agent was given a skill, and whether it looked into one.
 *
 * Outputs, true is better: `skill_present`, the trial's metadata list at least one skill that is not empty, and
 * `skill_used`, the `location` of one of them stands in the trajectory: in a message, in reasoning, in the name, the
 * arguments or the answer of a tool. The bare name of a skill does not count. The trajectory is read as OTLP, else as
 * ATIF; where none can be read `skill_used` is false, with a warning that says why. Deterministic, calls no model.
 */
export const skillUsed: MetricFactory<StrictSchema<typeof settings>> = defineMetric({
  type: "skill_used",
  description:
    "Whether the agent was given a skill, and whether it looked into one; true is better.",
  config: z.strictObject(settings),
  outputs: [
    { name: "skill_present", kind: "boolean", description: "The trial was given a skill." },
    { name: "skill_used", kind: "boolean", description: "The trajectory shows its location." },
  ],
  async compute({ candidate }, { traceEvidence }, context) {
    const skills = givenSkills(candidate.metadata);
    if (skills.length === 0) return { outputs: { skill_present: false, skill_used: false } };
    const { trajectory, diagnostics } = await findTrajectory(
      candidate.evidence,
      traceEvidence,
      ["otlp", "atif"],
      context,
    );
    const met = trajectory === null ? null : metLocation(trajectory, locationsOf(skills));
    return { outputs: { skill_present: true, skill_used: met !== null }, diagnostics };
  },
});
