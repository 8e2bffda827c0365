import type { Metric } from "../../contracts/metric.ts";
import type { TrialPlan } from "../../contracts/runner.ts";
import type { Task } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { RunOptions } from "../api.ts";
import type { Suite } from "../suite/suite.ts";
import { type BoundTarget, bindTarget } from "./bind-target.ts";
import { checkRunOptions } from "./check-options.ts";
import { checkImported, ImportedRunner } from "./imported-runner.ts";
import { assertPlanSize } from "./plan-size.ts";
import { selectTasks } from "./select-tasks.ts";

/** What can be known without touching anything outside: tasks, target, settings. */
export interface Draft {
  readonly suite: Suite;
  readonly target: BoundTarget;
  readonly tasks: readonly Task[];
  readonly plan: TrialPlan;
}

interface DraftRequest {
  readonly suite: Suite;
  readonly options: RunOptions;
}

/** Validates everything that needs no tool. Throws `user` errors. */
export function draftRun({ suite, options }: DraftRequest): Draft {
  checkRunOptions(options);
  const tasks = selectTasks(suite.tasks, {
    taskIds: options.taskIds ?? null,
    limit: options.limit ?? null,
  });
  const target = bindTarget(suite, options.overrides ?? []);
  const { runner } = target;
  const plan =
    runner instanceof ImportedRunner
      ? importedPlan(tasks, runner, { suite, options })
      : trialPlan(tasks, options.trialsPerTask ?? suite.trialsPerTask);
  return { suite, target, tasks, plan };
}

function trialPlan(tasks: readonly Task[], trialsPerTask: number): TrialPlan {
  assertPlanSize(tasks.length, trialsPerTask);
  const trialIndexes = indexes(trialsPerTask);
  return {
    tasks: tasks.map((task, taskIndex) => ({ task, taskIndex, trialIndexes })),
    trialsPerTask,
    trialCount: tasks.length * trialsPerTask,
  };
}

function importedPlan(
  tasks: readonly Task[],
  runner: ImportedRunner,
  { suite, options }: DraftRequest,
): TrialPlan {
  if (options.trialsPerTask !== undefined) {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      "the number of trials cannot be set: the trials are imported",
      { remedy: "Leave --trials out; to take fewer, take rows out of the imported trials." },
    );
  }
  const known = suite.tasks.map(({ id }) => id);
  checkImported(runner, { known, selected: tasks.map(({ id }) => id) });
  const counts = tasks.map(({ id }) => runner.trialsByTask.get(id)?.length ?? 0);
  return {
    tasks: tasks.map((task, taskIndex) => ({
      task,
      taskIndex,
      trialIndexes: indexes(counts[taskIndex] ?? 0),
    })),
    trialsPerTask: counts.reduce((most, count) => Math.max(most, count), 0),
    trialCount: counts.reduce((sum, count) => sum + count, 0),
  };
}

function indexes(count: number): readonly number[] {
  return Array.from({ length: count }, (_item, index) => index);
}

export function distinctMetrics(tasks: readonly Task[]): Set<Metric> {
  return new Set(tasks.flatMap(({ metrics }) => metrics));
}
