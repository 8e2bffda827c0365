import type { Metric } from "../../contracts/metric.ts";
import type { TrialPlan } from "../../contracts/runner.ts";
import type { Task } from "../../contracts/task.ts";
import type { RunOptions } from "../api.ts";
import type { Suite } from "../suite/suite.ts";
import { type BoundTarget, bindTarget } from "./bind-target.ts";
import { checkImported, isImportedRunner } from "./imported-runner.ts";
import { selectTasks } from "./select-tasks.ts";

/** What can be known without touching anything outside: tasks, target, settings. */
export interface Draft {
  readonly suite: Suite;
  readonly target: BoundTarget;
  readonly tasks: readonly Task[];
  readonly plan: TrialPlan;
}

/** Validates everything that needs no tool. Throws `user` errors. */
export function draftRun({
  suite,
  options,
}: {
  readonly suite: Suite;
  readonly options: RunOptions;
}): Draft {
  const tasks = selectTasks(suite.tasks, {
    taskIds: options.taskIds ?? null,
    limit: options.limit ?? null,
  });
  const target = bindTarget(suite, options.overrides ?? []);
  if (isImportedRunner(target.runner))
    checkImported(
      target.runner,
      suite.tasks.map(({ id }) => id),
    );
  return {
    suite,
    target,
    tasks,
    plan: trialPlan(tasks, target, options.trialsPerTask ?? suite.trialsPerTask),
  };
}

function trialPlan(
  tasks: readonly Task[],
  { runner }: BoundTarget,
  trialsPerTask: number,
): TrialPlan {
  const countOf = (task: Task) =>
    isImportedRunner(runner) ? (runner.trialsByTask.get(task.id)?.length ?? 0) : trialsPerTask;
  const planned = tasks.map((task, taskIndex) => ({
    task,
    taskIndex,
    trialIndexes: Array.from({ length: countOf(task) }, (_item, index) => index),
  }));
  return {
    tasks: planned,
    trialsPerTask,
    trialCount: planned.reduce((sum, { trialIndexes }) => sum + trialIndexes.length, 0),
  };
}

export function distinctMetrics(tasks: readonly Task[]): Set<Metric> {
  return new Set(tasks.flatMap(({ metrics }) => metrics));
}
