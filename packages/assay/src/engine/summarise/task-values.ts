import type { Summary, TaskMetricValue } from "../../schema/summary.ts";
import { setOwn } from "../../support/json.ts";
import { observed, type ScoreTable } from "./score-table.ts";
import type { TaskLayout } from "./task-layout.ts";

type TaskValues = Summary["taskMetricValues"][string];

/** Values of each declared output that can be recorded, in trial order; an output without any has an empty list. */
export function taskValuesOf(table: ScoreTable, layout: TaskLayout, rows: Uint32Array): TaskValues {
  const lists = new Map<string, TaskMetricValue[]>();
  for (const [metric, outputs] of layout.outputsByMetric) {
    for (const [position, { kind, tally }] of outputs.entries()) {
      if (kind === "model") continue;
      const list = lists.get(tally.name) ?? [];
      lists.set(tally.name, list);
      for (const row of rows) {
        if (table.metrics.at(row) !== metric) continue;
        const record = recordOf(table, row, position);
        if (record !== null) list.push(record);
      }
    }
  }
  const values: Record<string, TaskMetricValue[]> = {};
  for (const [name, list] of lists) setOwn(values, name, list);
  return values;
}

function recordOf(table: ScoreTable, row: number, position: number): TaskMetricValue | null {
  const index = table.firsts.at(row) + position;
  const trialId = table.rows.trialIdAt(row);
  const value = table.values.at(index);
  switch (table.tags.at(index)) {
    case observed.number:
      return { trialId, valueType: "number", value };
    case observed.boolean:
      return { trialId, valueType: "number", value: value === 1 };
    case observed.label:
      return { trialId, valueType: "label", value: table.labels.textOf(value) };
    case observed.trialFailed:
      return { trialId, valueType: "missing", value: null };
    default:
      return null;
  }
}

/**
 * A map whose values are made each time they are read: a run of a million trials is kept as columns, and only the
 * task that is looked at as objects.
 */
export function lazyMap<T>(keys: readonly string[], make: (index: number) => T): Record<string, T> {
  const map: Record<string, T> = {};
  for (const [index, key] of keys.entries()) {
    // Bound, not a closure: that takes half the memory, and there may be 100,000 of them.
    const get = make.bind(undefined, index);
    Object.defineProperty(map, key, { get, enumerable: true, configurable: true });
  }
  return map;
}
