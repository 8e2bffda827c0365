import type { Metric } from "../../contracts/metric.ts";
import type { TrialPlan } from "../../contracts/runner.ts";
import type { Task } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { PlanRecord } from "../../schema/plan.ts";
import type { RunOptions } from "../api.ts";
import type { Suite } from "../suite/suite.ts";
import { type BoundTarget, bindTarget } from "./bind-target.ts";
import { checkRunOptions } from "./check-options.ts";
import { checkImported, ImportedRunner } from "./imported-runner.ts";
import { assertPlanSize } from "./plan-size.ts";
import { selectionOf, selectTasks } from "./select-tasks.ts";
import { inPlanOrder, storedOverrides } from "./stored-plan.ts";

/** What can be known without touching anything outside: tasks, target, settings. */
export interface Draft {
  readonly suite: Suite;
  readonly target: BoundTarget;
  readonly tasks: readonly Task[];
  readonly plan: TrialPlan;
  readonly selection: PlanRecord["selection"];
  /** The plan of the run that goes on; null for a new one. */
  readonly stored: PlanRecord | null;
}

interface DraftRequest {
  readonly suite: Suite;
  readonly options: RunOptions;
  /** The plan of the run that is to go on. */
  readonly stored?: PlanRecord | null;
}

/** Validates everything that needs no tool. Throws `user` errors. */
export function draftRun(request: DraftRequest): Draft {
  const { suite, options, stored = null } = request;
  checkRunOptions(options);
  const selection = selectionOf(options, stored);
  const selected = selectTasks(suite.tasks, selection);
  const tasks = stored === null ? selected : inPlanOrder(selected, stored);
  const target = bindTarget(suite, [...storedOverrides(stored), ...(options.overrides ?? [])]);
  const { runner } = target;
  const plan =
    runner instanceof ImportedRunner
      ? importedPlan(tasks, runner, request)
      : trialPlan(tasks, trialsPerTask(request));
  return { suite, target, tasks, plan, selection, stored };
}

function trialsPerTask({ suite, options, stored }: DraftRequest): number {
  return options.trialsPerTask ?? stored?.trialsPerTask ?? suite.trialsPerTask;
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
  { suite, options, stored = null }: DraftRequest,
): TrialPlan {
  if (stored !== null) {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      "a run over imported trials cannot be resumed: nothing of it was paid for",
      { remedy: "Score again into another directory." },
    );
  }
  if (options.trialsPerTask !== undefined) {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      "the number of trials cannot be set: the trials are imported",
      { remedy: "Leave --trials out; to take fewer, take rows out of the imported trials." },
    );
  }
  const known = suite.tasks.map(({ id }) => id);
  checkImported(runner.trials, { known, selected: tasks.map(({ id }) => id) });
  const counts = tasks.map(({ id }) => runner.trials.byTask.get(id)?.count ?? 0);
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
