import type { Diagnostic, ScoreRecord } from "../schema/score.ts";

/**
 * What a score says, read off its row:
 * - `measured`: it has outputs;
 * - `trial_failed`: the trial could not be produced, which counts as a trial that did not pass;
 * - `metric_failed`: the metric failed, which is not charged to the target;
 * - `unscored`: the metric's author chose to give no value.
 */
export type ScoreState = "measured" | "trial_failed" | "metric_failed" | "unscored";

export function scoreStateOf({
  status,
  diagnostics,
}: Pick<ScoreRecord, "status" | "diagnostics">): ScoreState {
  if (status !== "failed") return "measured";
  if (diagnostics.some(({ details }) => details["trial_status"] === "failed")) {
    return "trial_failed";
  }
  if (diagnostics.some(saysException)) return "metric_failed";
  return diagnostics.some(saysUnscored) ? "unscored" : "metric_failed";
}

function saysException({ details }: Diagnostic): boolean {
  return Object.hasOwn(details, "exception_type");
}

function saysUnscored({ details }: Diagnostic): boolean {
  return Object.hasOwn(details, "unscored_reason");
}
