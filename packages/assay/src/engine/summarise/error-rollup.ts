import { setOwn } from "../../support/json.ts";
import { compareText } from "../../support/natural-order.ts";
import { createColumn, createInterner, type Interner } from "./columns.ts";
import { createRowTable, orderRows } from "./row-table.ts";

/** Collects trials that carry an error, whatever their status. */
export interface ErrorRollup {
  readonly count: number;
  push(taskIndex: number, trialId: string, order: number | null, errorType: string): void;
  /** Trial ids by error type, in trial order of the tasks in the order given. */
  trialIds(taskIndexes: readonly number[]): Record<string, string[]>;
}

export function createErrorRollup(taskIds: Interner): ErrorRollup {
  const rows = createRowTable(taskIds);
  const types = createInterner();
  const typeIndexes = createColumn();
  return {
    get count() {
      return rows.length;
    },
    push(taskIndex, trialId, order, errorType) {
      rows.push(taskIndex, trialId, order);
      typeIndexes.push(types.indexOf(errorType));
    },
    trialIds(taskIndexes) {
      // Rows of one trial that differ in type end in different lists, so their order cannot show.
      const ordered = orderRows(rows, taskIndexes.length, () => 0);
      const lists = Array.from({ length: types.size }, (): string[] => []);
      for (const task of taskIndexes) {
        for (const row of ordered.of(task)) lists[typeIndexes.at(row)]?.push(rows.trialIdAt(row));
      }
      const byType = lists.map((ids, index) => ({ type: types.textOf(index), ids }));
      const result: Record<string, string[]> = {};
      for (const { type, ids } of byType.sort((a, b) => compareText(a.type, b.type))) {
        setOwn(result, type, ids);
      }
      return result;
    },
  };
}
