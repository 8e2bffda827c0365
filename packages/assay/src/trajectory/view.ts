import type { Trajectory, TrajectoryGap, TrajectoryUsage } from "../contracts/trajectory.ts";
import { freezePlain } from "../support/json.ts";

/** Steps of ATIF, spans of OTLP. */
export const maxTrajectorySteps = 100_000;

/** Adds what follows from the steps, and freezes the view: all metrics of a trial read the same one. */
export function finished(view: Omit<Trajectory, "toolCalls">): Trajectory {
  const { finalMessage, gaps, steps, usage } = view;
  return freezePlain({
    ...view,
    toolCalls: steps.flatMap(({ toolCalls }) => toolCalls),
    finalMessage: finalMessage?.trim() === "" ? null : finalMessage,
    gaps: [...gaps, ...missingUsage(usage, gaps)],
  });
}

const names: Readonly<Record<keyof TrajectoryUsage, string>> = {
  promptTokens: "tokens of the prompt",
  completionTokens: "tokens of the completion",
  cachedTokens: "cached tokens",
  costUsd: "costs",
};

/** A gap for each count that is not known, where none is told yet. */
function missingUsage(usage: TrajectoryUsage, told: readonly TrajectoryGap[]): TrajectoryGap[] {
  return (Object.keys(names) as (keyof TrajectoryUsage)[]).flatMap((name) => {
    const field = `usage.${name}`;
    if (usage[name] !== null || told.some((gap) => gap.field === field)) return [];
    return [{ field, reason: "not_recorded", detail: `no ${names[name]} are told` }];
  });
}
