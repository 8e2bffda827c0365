import { compareNatural } from "../../support/natural-order.ts";
import { createColumn, createInterner, createTextColumn, type Interner } from "./columns.ts";

/** Which task and trial each row belongs to. */
export interface RowTable {
  readonly length: number;
  push(taskIndex: number, trialId: string, order: number | null): void;
  taskAt(row: number): number;
  trialIdAt(row: number): string;
  /** Whether two rows of a task have the same trial id: then they have the same order too. */
  isSameTrial(a: number, b: number): boolean;
  orderAt(row: number): number;
}

/** Sorts after every planned trial. */
const unplanned = 2 ** 31 - 1;

export function createRowTable(taskIds: Interner): RowTable {
  const tasks = createColumn();
  const orders = createColumn();
  const trialIds = createTrialIds();
  const taskIdAt = (row: number) => taskIds.textOf(tasks.at(row));
  return {
    get length() {
      return tasks.length;
    },
    push(taskIndex, trialId, order) {
      tasks.push(taskIndex);
      orders.push(order ?? unplanned);
      const taskId = taskIds.textOf(taskIndex);
      trialIds.push(taskId, trialId, taskIndex + (order ?? 0));
    },
    taskAt: tasks.at,
    orderAt: orders.at,
    trialIdAt: (row) => trialIds.at(row, taskIdAt(row)),
    isSameTrial: (a, b) => orders.at(a) === orders.at(b) && trialIds.isSame(a, b),
  };
}

/** More than a task has trials, and none as long as an end that says a number: other ids are kept whole. */
const maxEnds = 4096;
const maxEndLength = 64;
const recentIds = 1024;

/** Most ids are that of the task and an end that trials of other tasks have too. */
function createTrialIds() {
  const ends = createInterner();
  const texts = createTextColumn();
  /** Twice the index of the end, or twice that of the text and one. */
  const codes = createColumn();
  /** The scores of a trial come soon after each other, so a text that they share is nearly always kept once. */
  const recent = Array.from({ length: recentIds }, (): string | null => null);
  const recentIndexes = new Uint32Array(recentIds);
  let count = 0;

  const endOf = (taskId: string, trialId: string): number => {
    if (!trialId.startsWith(taskId)) return -1;
    const end = trialId.slice(taskId.length);
    if (end.length > maxEndLength) return -1;
    return ends.size < maxEnds || ends.has(end) ? ends.indexOf(end) : -1;
  };
  const textIndexOf = (trialId: string, hint: number): number => {
    const slot = hint % recentIds;
    if (recent[slot] !== trialId) {
      recent[slot] = trialId;
      recentIndexes[slot] = count;
      texts.push(trialId);
      count += 1;
    }
    return recentIndexes[slot] ?? 0;
  };
  const isWhole = (code: number) => code % 2 === 1;
  return {
    /** `hint` is likely the same for the same id. */
    push(taskId: string, trialId: string, hint: number) {
      const end = endOf(taskId, trialId);
      codes.push(end === -1 ? textIndexOf(trialId, hint) * 2 + 1 : end * 2);
    },
    at(row: number, taskId: string): string {
      const code = codes.at(row);
      return isWhole(code) ? texts.at(code >>> 1) : taskId + ends.textOf(code >>> 1);
    },
    /** Of two rows of one task. */
    isSame(a: number, b: number): boolean {
      const [first, second] = [codes.at(a), codes.at(b)];
      if (first === second) return true;
      const areWhole = isWhole(first) && isWhole(second);
      return areWhole && texts.at(first >>> 1) === texts.at(second >>> 1);
    },
  };
}

/** The rows of each task, in trial order. */
export interface OrderedRows {
  of(taskIndex: number): Uint32Array;
}

/**
 * Groups rows by task and sorts each group: planned trials by their index, then the others by their ids as people
 * count, rows of one trial by `compareRows`. What it returns depends on the set of rows alone when `compareRows` tells
 * all rows apart that differ.
 */
export function orderRows(
  table: RowTable,
  taskCount: number,
  compareRows: (a: number, b: number) => number,
): OrderedRows {
  const starts = countStarts(table, taskCount);
  const rows = new Uint32Array(table.length);
  const next = starts.slice();
  for (let row = 0; row < table.length; row += 1) {
    const task = table.taskAt(row);
    const place = next[task] ?? 0;
    rows[place] = row;
    next[task] = place + 1;
  }
  const of = (task: number) => rows.subarray(starts[task], starts[task + 1]);
  for (let task = 0; task < taskCount; task += 1) sortGroup(table, of(task), compareRows);
  return { of };
}

function countStarts(table: RowTable, taskCount: number): Uint32Array {
  const starts = new Uint32Array(taskCount + 1);
  for (let row = 0; row < table.length; row += 1) {
    const after = table.taskAt(row) + 1;
    starts[after] = (starts[after] ?? 0) + 1;
  }
  for (let task = 0; task < taskCount; task += 1) {
    starts[task + 1] = (starts[task + 1] ?? 0) + (starts[task] ?? 0);
  }
  return starts;
}

function sortGroup(
  table: RowTable,
  group: Uint32Array,
  compareRows: (a: number, b: number) => number,
): void {
  if (isSorted(table, group, compareRows)) return;
  const entries = Array.from(group, (row) => ({
    row,
    order: table.orderAt(row),
    trialId: table.trialIdAt(row),
  }));
  entries.sort((a, b) => {
    if (a.order !== b.order) return a.order < b.order ? -1 : 1;
    return compareNatural(a.trialId, b.trialId) || compareRows(a.row, b.row);
  });
  for (const [index, { row }] of entries.entries()) group[index] = row;
}

/** Most runs end their trials in the planned order, or nearly. What is sorted already costs no look at an id. */
function isSorted(
  table: RowTable,
  group: Uint32Array,
  compareRows: (a: number, b: number) => number,
): boolean {
  for (let index = 1; index < group.length; index += 1) {
    const [before, row] = [group[index - 1] as number, group[index] as number];
    const distance = table.orderAt(row) - table.orderAt(before);
    if (distance < 0) return false;
    if (distance > 0) continue;
    if (!table.isSameTrial(before, row) || compareRows(before, row) > 0) return false;
  }
  return true;
}
