import type { ScoreRecord } from "../../schema/score.ts";
import type { TaskRecord } from "../../schema/task.ts";
import { formatRow } from "../../support/json.ts";
import { compareNatural, compareText } from "../../support/natural-order.ts";

type PlannedTask = Pick<TaskRecord, "id" | "metrics">;

/** Where rows stand in the plan, whatever order they arrived in. Tasks and metrics it does not know come last. */
export interface PlanOrder {
  taskIndex(taskId: string): number;
  compareScores(a: ScoreRecord, b: ScoreRecord): number;
}

export function planOrderOf(tasks: readonly PlannedTask[]): PlanOrder {
  const indexes = new Map(tasks.map(({ id }, index) => [id, index]));
  const taskIndex = (taskId: string) => indexes.get(taskId) ?? tasks.length;
  const metricIndex = ({ taskId, metricType }: ScoreRecord) => {
    const metrics = tasks[taskIndex(taskId)]?.metrics ?? [];
    const index = metrics.findIndex(({ type }) => type === metricType);
    return index < 0 ? metrics.length : index;
  };
  const compareScores = (a: ScoreRecord, b: ScoreRecord) =>
    taskIndex(a.taskId) - taskIndex(b.taskId) ||
    compareText(a.taskId, b.taskId) ||
    compareNatural(a.trialId, b.trialId) ||
    metricIndex(a) - metricIndex(b) ||
    compareText(a.metricType, b.metricType) ||
    compareText(formatRow(a), formatRow(b));
  return { taskIndex, compareScores };
}

/** The first rows of a stream by some order, without keeping the others. */
export interface FirstRows<T> {
  readonly rows: readonly T[];
  add(row: T): void;
}

export function firstRows<T>(limit: number, compare: (a: T, b: T) => number): FirstRows<T> {
  const rows: T[] = [];
  return {
    rows,
    add(row) {
      let place = rows.length;
      while (place > 0 && compare(row, rows[place - 1] as T) < 0) place -= 1;
      if (place >= limit) return;
      rows.splice(place, 0, row);
      if (rows.length > limit) rows.pop();
    },
  };
}
