import type { TrialOrder } from "../../bundle/trial-order.ts";
import type { Aggregate, Coverage, Summary } from "../../schema/summary.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { setOwn } from "../../support/json.ts";
import { compareText } from "../../support/natural-order.ts";
import { createInterner, type Interner } from "./columns.ts";
import { createErrorRollup, type ErrorRollup } from "./error-rollup.ts";
import { foldTask } from "./fold-task.ts";
import { orderRows } from "./row-table.ts";
import {
  compareRows,
  createScoreTable,
  pushScore,
  type ScoreTable,
  type SummaryScore,
} from "./score-table.ts";
import {
  coverageOf,
  type OutputTally,
  outputAggregate,
  passAggregates,
  viewAggregate,
} from "./tallies.ts";
import { createLayouts, type Layouts, type SummaryTask, type TaskLayout } from "./task-layout.ts";
import { lazyMap, taskValuesOf } from "./task-values.ts";

/** What the summary reads of a trial. */
export type SummaryTrial = Pick<TrialRecord, "id" | "taskId"> & {
  readonly error: { readonly type: string } | null;
};

/** Takes rows in any order, one at a time, and gives the summary of the set of them. */
export interface SummaryAccumulator {
  addTrial(trial: SummaryTrial): void;
  addScore(score: SummaryScore): void;
  /** Once, after the last row. */
  finish(runnerAggregates: readonly Aggregate[]): Summary;
}

interface State {
  /** Declared tasks first, in plan order. */
  readonly taskIds: Interner;
  readonly declaredTasks: readonly TaskLayout[];
  readonly taskCount: number;
  readonly layouts: Layouts;
  readonly table: ScoreTable;
  readonly errors: ErrorRollup;
  /** Trial rows of each task. */
  readonly trialRows: number[];
}

export function createSummaryAccumulator(
  tasks: readonly SummaryTask[],
  trialOrder: TrialOrder,
): SummaryAccumulator {
  const state = startState(tasks);
  const { taskIds, table, errors, trialRows } = state;
  return {
    addTrial({ id, taskId, error }) {
      const task = taskIds.indexOf(taskId);
      trialRows[task] = (trialRows[task] ?? 0) + 1;
      if (error !== null) errors.push(task, id, trialOrder(taskId, id), error.type);
    },
    addScore(score) {
      const taskIndex = taskIds.indexOf(score.taskId);
      const metric = table.metricNames.indexOf(score.metricType);
      const outputs = layoutOf(state, taskIndex).outputsByMetric.get(metric) ?? [];
      const order = trialOrder(score.taskId, score.trialId);
      pushScore(table, { score, taskIndex, order, outputs });
    },
    finish: (runnerAggregates) => summaryOf(state, runnerAggregates),
  };
}

function startState(tasks: readonly SummaryTask[]): State {
  const taskIds = createInterner();
  const metricNames = createInterner();
  const layouts = createLayouts(metricNames);
  const declaredTasks: TaskLayout[] = [];
  for (const task of tasks) declaredTasks[taskIds.indexOf(task.id)] ??= layouts.of(task);
  const table = createScoreTable(taskIds, metricNames);
  const taskCount = tasks.length;
  const errors = createErrorRollup(taskIds);
  return { taskIds, declaredTasks, taskCount, layouts, table, errors, trialRows: [] };
}

const nothingDeclared: TaskLayout = { outputsByMetric: new Map(), views: [] };

function layoutOf({ declaredTasks }: State, task: number): TaskLayout {
  return declaredTasks[task] ?? nothingDeclared;
}

function summaryOf(state: State, runnerAggregates: readonly Aggregate[]): Summary {
  const { table, taskIds, errors } = state;
  const ordered = orderRows(table.rows, taskIds.size, (a, b) => compareRows(table, a, b));
  const tasks = taskSequence(state);
  let trialCount = 0;
  for (const task of tasks) {
    const scored = foldTask(table, layoutOf(state, task), ordered.of(task));
    trialCount += Math.max(scored, state.trialRows[task] ?? 0);
  }
  const outputs = [...state.layouts.outputs()].filter(({ total }) => total > 0).sort(byOutput);
  const declaredIds = state.declaredTasks.map((_layout, task) => taskIds.textOf(task));
  return {
    scores: { scores: [...aggregatesOf(state.layouts, outputs), ...runnerAggregates] },
    metricCoverage: coverageByMetric(outputs),
    taskMetricValues: lazyMap(declaredIds, (task) =>
      taskValuesOf(table, layoutOf(state, task), ordered.of(task)),
    ),
    errorTrialIds: errors.trialIds(tasks),
    taskCount: state.taskCount,
    trialCount,
    scoreCount: table.rows.length,
    errorCount: errors.count,
  };
}

/** Declared tasks in plan order, then those that only rows know, by id. */
function taskSequence({ taskIds, declaredTasks }: State): number[] {
  const all = Array.from({ length: taskIds.size }, (_, index) => index);
  const unknown = all.slice(declaredTasks.length);
  unknown.sort((a, b) => compareText(taskIds.textOf(a), taskIds.textOf(b)));
  return [...all.slice(0, declaredTasks.length), ...unknown];
}

function byOutput(a: OutputTally, b: OutputTally): number {
  return compareText(a.metric, b.metric) || compareText(a.output, b.output);
}

function aggregatesOf(layouts: Layouts, outputs: readonly OutputTally[]): Aggregate[] {
  const views = [...layouts.views()].filter(({ total }) => total > 0);
  views.sort((a, b) => compareText(a.name, b.name));
  return [
    ...outputs.map(outputAggregate),
    ...views.map(viewAggregate),
    ...outputs.flatMap((output) => [...passAggregates(output)]),
  ];
}

function coverageByMetric(outputs: readonly OutputTally[]): Summary["metricCoverage"] {
  const byMetric = new Map<string, Record<string, Coverage>>();
  for (const tally of outputs) {
    const coverage = byMetric.get(tally.metric) ?? {};
    byMetric.set(tally.metric, coverage);
    setOwn(coverage, tally.output, coverageOf(tally));
  }
  const result: Record<string, Record<string, Coverage>> = {};
  for (const [metric, coverage] of byMetric) setOwn(result, metric, coverage);
  return result;
}
