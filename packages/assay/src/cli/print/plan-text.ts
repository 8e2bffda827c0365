import type { PlanPreview } from "../../entries/index.ts";
import { visibleLine } from "../../entries/index.ts";

const shownTasks = 10;

/** The plan for people: what would be run, and where each option of the target comes from. */
export function planLines(plan: PlanPreview): readonly string[] {
  const { suiteName, target, taskIds, trialsPerTask, trialCount, metrics, origins } = plan;
  const hidden = taskIds.length - shownTasks;
  return [
    `suite    ${visibleLine(suiteName)}`,
    `target   ${visibleLine(target.name)}${target.version === null ? "" : ` ${visibleLine(target.version)}`}`,
    ...Object.entries(target.config).map(([name, value]) => optionLine(name, value, origins[name])),
    `tasks    ${taskIds.length}`,
    ...taskIds.slice(0, shownTasks).map((id) => `  ${visibleLine(id)}`),
    ...(hidden > 0 ? [`  and ${hidden} more`] : []),
    `trials   ${trialCount} (${trialsPerTask} per task)`,
    `metrics  ${metrics.length}`,
    ...metrics.map(({ type, taskCount }) => `  ${visibleLine(type)} on ${taskCount} tasks`),
    `plan     ${plan.planDigest}`,
    `settings ${plan.settingsDigest}`,
    "Nothing was run.",
  ];
}

export function planDocument(plan: PlanPreview): unknown {
  return {
    suite_name: plan.suiteName,
    target: plan.target,
    origins: plan.origins,
    task_ids: plan.taskIds,
    trials_per_task: plan.trialsPerTask,
    trial_count: plan.trialCount,
    metrics: plan.metrics.map(({ type, digest, taskCount }) => ({
      type,
      digest,
      task_count: taskCount,
    })),
    plan_digest: plan.planDigest,
    settings_digest: plan.settingsDigest,
  };
}

function optionLine(name: string, value: unknown, origin: string | undefined): string {
  const from = origin === undefined || origin === "suite" ? "" : `  (${origin})`;
  return `  ${visibleLine(`${name} = ${JSON.stringify(value)}`)}${from}`;
}
