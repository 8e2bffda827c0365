import type { Summary } from "../../schema/summary.ts";
import type { TaskRecord } from "../../schema/task.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import type { JsonValue } from "../../support/json.ts";
import { compareText } from "../../support/natural-order.ts";
import { wrapText } from "../../support/terminal-text.ts";
import { listedIds, listIds } from "./failed-trials.ts";
import { firstRows, type PlanOrder } from "./plan-order.ts";
import { type FlatRecord, formatTable } from "./table.ts";
import { canPass, type TaskOutcome, taskOutcomeOf } from "./task-outcome.ts";

type PlannedTask = Pick<TaskRecord, "id" | "metrics">;

/** Counts how the trials of each task ended; keeps none of them. */
export interface TaskTable {
  add(trial: Pick<TrialRecord, "taskId" | "status" | "error">): void;
  /** Lines of the section; none when there are no tasks. */
  lines(summary: Summary, limits: TaskTableLimits): string[];
}

export interface TaskTableLimits {
  readonly rows: number;
  readonly width: number;
}

export function createTaskTable(tasks: readonly PlannedTask[], order: PlanOrder): TaskTable {
  const endings = createEndings();
  return {
    add: (trial) => endings.add(order.taskIndex(trial.taskId), trial),
    lines: (summary, limits) =>
      tasks.length === 0 ? [] : sectionOf({ tasks, endings, summary }, limits),
  };
}

/** By index of the task: how many trials came, and what became of those that did not end well. */
interface Endings {
  add(task: number, trial: Pick<TrialRecord, "status" | "error">): void;
  trialCount(task: number): number;
  bad(task: number): readonly (readonly [ending: string, count: number])[];
}

function createEndings(): Endings {
  const trialCounts: number[] = [];
  const bad = new Map<number, Map<string, number>>();
  return {
    add(task, { status, error }) {
      trialCounts[task] = (trialCounts[task] ?? 0) + 1;
      if (status === "completed" && error === null) return;
      const ending = error?.type ?? status;
      const counts = bad.get(task) ?? new Map<string, number>();
      bad.set(task, counts.set(ending, (counts.get(ending) ?? 0) + 1));
    },
    trialCount: (task) => trialCounts[task] ?? 0,
    bad: (task) => [...(bad.get(task) ?? [])].sort(([a], [b]) => compareText(a, b)),
  };
}

interface Source {
  readonly tasks: readonly PlannedTask[];
  readonly endings: Endings;
  readonly summary: Summary;
}

function sectionOf(source: Source, { rows, width }: TaskTableLimits): string[] {
  const { tasks } = source;
  const worst = firstRows(rows, compareRanks);
  let belowCount = 0;
  let lackingCount = 0;
  for (const index of tasks.keys()) {
    const rank = rankOf(source, index);
    if (rank.belowShare > 0) belowCount += 1;
    else if (rank.lacksScores) lackingCount += 1;
    worst.add(rank);
  }
  const shown = worst.rows.map(({ index }) => rowOf(source, index));
  const shownBelow = worst.rows.filter(({ belowShare }) => belowShare > 0).length;
  return [
    titleOf(tasks, belowCount, lackingCount),
    ...(shown.length === 0 ? [] : [tableOf(shown, width)]),
    ...restLines(tasks.length - shown.length, belowCount - shownBelow),
  ];
}

interface Rank {
  readonly index: number;
  /** The part of its trials that are below full credit or did not end well. */
  readonly belowShare: number;
  readonly mean: number;
  /** It has no trial, or none of its trials could be measured by some metric. */
  readonly lacksScores: boolean;
}

function rankOf(source: Source, index: number): Rank {
  const { belowFull, mean, headlines } = outcomeAt(source, index);
  const badCount = source.endings.bad(index).reduce((sum, [, count]) => sum + count, 0);
  const trialCount = source.endings.trialCount(index);
  const below = Math.max(belowFull.length, badCount);
  return {
    index,
    belowShare: below / Math.max(trialCount, below, 1),
    mean: mean ?? (below > 0 ? 0 : 1),
    lacksScores: trialCount === 0 || headlines.some(({ isMissing }) => isMissing),
  };
}

/** Worst first; tasks that lack scores come before those that went well. */
function compareRanks(a: Rank, b: Rank): number {
  return (
    b.belowShare - a.belowShare ||
    Number(b.lacksScores) - Number(a.lacksScores) ||
    (a.belowShare > 0 ? a.mean - b.mean : 0) ||
    a.index - b.index
  );
}

function outcomeAt({ tasks, summary }: Source, index: number): TaskOutcome {
  const task = tasks[index] ?? { id: "", metrics: [] };
  const values = summary.taskMetricValues;
  return taskOutcomeOf(task, Object.hasOwn(values, task.id) ? (values[task.id] ?? {}) : {});
}

interface TaskRow extends TaskOutcome {
  readonly id: string;
  readonly trialCount: number;
  readonly endedBadly: string | null;
}

function rowOf(source: Source, index: number): TaskRow {
  const bad = source.endings.bad(index).map(([ending, count]) => `${count} ${ending}`);
  return {
    ...outcomeAt(source, index),
    id: source.tasks[index]?.id ?? "",
    trialCount: source.endings.trialCount(index),
    endedBadly: bad.length === 0 ? null : bad.join(", "),
  };
}

function titleOf(tasks: readonly PlannedTask[], below: number, lacking: number): string {
  const { length } = tasks;
  const lack = `${lacking} ${lacking === 1 ? "lacks" : "lack"} scores`;
  if (below > 0) {
    const rest = lacking > 0 ? `, ${lack}` : "";
    return `Tasks (${below} of ${length} below full marks${rest}; means, worst first)`;
  }
  const hasMarks = tasks.some(({ metrics }) =>
    metrics.some(({ outputs }) => outputs.some(canPass)),
  );
  const judged = lacking > 0 ? `, ${lack}` : hasMarks ? ", none below full marks" : "";
  return `Tasks (${length}${judged}; means)`;
}

function tableOf(rows: readonly TaskRow[], width: number): string {
  const notes = rows.map(({ belowFull, trialCount }) => {
    const { length } = belowFull;
    // Of a task with one trial its row says it.
    if (length === 0 || trialCount === 1) return [];
    const isAll = length > listedIds && length === trialCount;
    const which = isAll ? `all ${length} trials` : listIds(belowFull);
    return wrapText(`below full marks: ${which}`, { width, first: "  ", next: "    " });
  });
  return formatTable(recordsOf(rows), width, notes);
}

function recordsOf(rows: readonly TaskRow[]): FlatRecord[] {
  const hasBad = rows.some(({ endedBadly }) => endedBadly !== null);
  return rows.map(({ id, trialCount, headlines, endedBadly }) => {
    const record: Record<string, JsonValue> = { task: id, trials: trialCount };
    for (const { metric, output, value } of headlines) record[`${metric}.${output}`] = value;
    if (hasBad) record["ended badly"] = endedBadly;
    return record;
  });
}

function restLines(restCount: number, restBelow: number): string[] {
  if (restCount === 0) return [];
  const below = restBelow > 0 ? `, ${restBelow} of them below full marks` : "";
  return [`... ${restCount} more ${restCount === 1 ? "task" : "tasks"}${below}`];
}
