import type { PlanPreview } from "../../entries/index.ts";
import { digestLines } from "./digest-text.ts";
import { optionLines, originText } from "./option-text.ts";
import { countOf, row } from "./rows.ts";

const shownTasks = 10;
const lineWidth = 80;

/** The plan for people: what would be run, and where each option of the target comes from. */
export function planLines(plan: PlanPreview, width = lineWidth): readonly string[] {
  const { suiteName, target, taskIds, trialsPerTask, trialCount, metrics, origins } = plan;
  const hidden = taskIds.length - shownTasks;
  const version = target.version === null ? "" : ` ${target.version}`;
  const tasks = [...taskIds.slice(0, shownTasks), ...(hidden > 0 ? [`and ${hidden} more`] : [])];
  const digests = [
    ["settings", plan.settingsDigest],
    ["plan", plan.planDigest],
  ] as const;
  return [
    ...row("suite", suiteName, width),
    ...row("target", `${target.name}${version}`, width),
    ...optionLines(target.config, (name) => originText(origins, name), width),
    ...row("tasks", String(taskIds.length), width),
    ...tasks.flatMap((id) => row("", id, width)),
    ...row("trials", `${trialCount} (${trialsPerTask} per task)`, width),
    ...metrics.flatMap(({ type, taskCount }, index) =>
      row(index === 0 ? "metrics" : "", `${type} on ${countOf(taskCount, "task")}`, width),
    ),
    ...digestLines(digests, width),
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
