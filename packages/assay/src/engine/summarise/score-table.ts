import type { ScoreOutput, ScoreRecord } from "../../schema/score.ts";
import { type ScoreState, scoreStateOf } from "../../statistics/score-state.ts";
import { decodeNonFinite } from "../../statistics/summary-values.ts";
import type { JsonValue } from "../../support/json.ts";
import { compareText } from "../../support/natural-order.ts";
import { type Column, createColumn, createInterner, type Interner } from "./columns.ts";
import { createRowTable, type RowTable } from "./row-table.ts";
import type { OutputKind, OutputLayout } from "./task-layout.ts";

/** What the summary reads of a score. */
export type SummaryScore = Pick<
  ScoreRecord,
  "taskId" | "trialId" | "metricType" | "status" | "outputs" | "diagnostics"
>;

/** What was observed of one output of one score. */
export const observed = {
  number: 0,
  boolean: 1,
  label: 2,
  /** A value that is neither: an object, a list, null. */
  other: 3,
  missing: 4,
  metricFailed: 5,
  trialFailed: 6,
} as const;

/** One row per score, and for each one observation per output that its task declares. */
export interface ScoreTable {
  readonly rows: RowTable;
  readonly metricNames: Interner;
  readonly labels: Interner;
  /** The metric of each row. */
  readonly metrics: Column;
  /** The first observation of each row; the last one is before the next row's first. */
  readonly firsts: Column;
  readonly tags: Column;
  /** The number; 0 or 1 for a boolean; the index of a label's text. */
  readonly values: Column;
}

export function createScoreTable(taskIds: Interner, metricNames: Interner): ScoreTable {
  return {
    rows: createRowTable(taskIds),
    metricNames,
    labels: createInterner(),
    metrics: createColumn(),
    firsts: createColumn(),
    tags: createColumn(),
    values: createColumn(),
  };
}

export interface ScoreRow {
  readonly score: SummaryScore;
  readonly taskIndex: number;
  readonly order: number | null;
  /** Outputs of the metric on this task; none when the task does not have the metric. */
  readonly outputs: readonly OutputLayout[];
}

export function pushScore(table: ScoreTable, { score, taskIndex, order, outputs }: ScoreRow): void {
  table.rows.push(taskIndex, score.trialId, order);
  table.metrics.push(table.metricNames.indexOf(score.metricType));
  table.firsts.push(table.tags.length);
  const state = scoreStateOf(score);
  const find = state === "measured" ? finderOf(score.outputs) : undefined;
  for (const { name, kind } of outputs) {
    const output = find?.(name);
    if (output === undefined) pushObservation(table, tagOf[state], 0);
    else pushValue(table, output.value, kind);
  }
}

const tagOf: Record<ScoreState, number> = {
  measured: observed.missing,
  unscored: observed.missing,
  metric_failed: observed.metricFailed,
  trial_failed: observed.trialFailed,
};

const fewOutputs = 16;

/** Finds the first output of a name, where a score repeats one. */
function finderOf(outputs: readonly ScoreOutput[]): (name: string) => ScoreOutput | undefined {
  if (outputs.length <= fewOutputs) return (name) => outputs.find((output) => output.name === name);
  const byName = new Map<string, ScoreOutput>();
  for (const output of outputs) if (!byName.has(output.name)) byName.set(output.name, output);
  return (name) => byName.get(name);
}

function pushValue(table: ScoreTable, value: JsonValue, kind: OutputKind): void {
  const plain = typeof value === "string" ? decodeText(value, kind) : value;
  if (typeof plain === "number") pushObservation(table, observed.number, plain);
  else if (typeof plain === "boolean") pushObservation(table, observed.boolean, Number(plain));
  else if (typeof plain === "string") {
    pushObservation(table, observed.label, table.labels.indexOf(plain));
  } else pushObservation(table, observed.other, 0);
}

function pushObservation(table: ScoreTable, tag: number, value: number): void {
  table.tags.push(tag);
  table.values.push(value);
}

/** Strict JSON stores a non-finite number as text, which only a label may mean literally. */
function decodeText(text: string, kind: OutputKind): string | number {
  return kind === "label" ? text : (decodeNonFinite(text) ?? text);
}

/** Order of rows of one trial: by metric, then by what was observed. */
export function compareRows(table: ScoreTable, a: number, b: number): number {
  const { metricNames, metrics, firsts } = table;
  const [metric, other] = [metrics.at(a), metrics.at(b)];
  if (metric !== other) return compareText(metricNames.textOf(metric), metricNames.textOf(other));
  const count = Math.min(observationsOf(table, a), observationsOf(table, b));
  for (let index = 0; index < count; index += 1) {
    const order = compareObservations(table, firsts.at(a) + index, firsts.at(b) + index);
    if (order !== 0) return order;
  }
  return 0;
}

function observationsOf({ firsts, tags }: ScoreTable, row: number): number {
  const end = row + 1 < firsts.length ? firsts.at(row + 1) : tags.length;
  return end - firsts.at(row);
}

function compareObservations({ tags, values, labels }: ScoreTable, a: number, b: number): number {
  const tag = tags.at(a);
  if (tag !== tags.at(b)) return tag - tags.at(b);
  const [left, right] = [values.at(a), values.at(b)];
  if (tag === observed.label) return compareText(labels.textOf(left), labels.textOf(right));
  return compareNumbers(left, right);
}

/** NaN is last, and equal to itself. */
function compareNumbers(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
