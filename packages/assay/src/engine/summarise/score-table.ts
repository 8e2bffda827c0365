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

/** One row per score, one observation per output that its task declares. */
export interface ScoreTable {
  readonly rows: RowTable;
  readonly metricNames: Interner;
  readonly labels: Interner;
  /** The number; 0 or 1 for a boolean; the index of a label's text. */
  readonly values: Column;
  readonly tags: Column;
  metricAt(row: number): number;
  firstObservationAt(row: number): number;
  /** Order of rows of one trial: by metric, then by what was observed. */
  compareRows(a: number, b: number): number;
  push(row: ScoreRow): void;
}

export interface ScoreRow {
  readonly score: SummaryScore;
  readonly taskIndex: number;
  readonly order: number | null;
  /** Outputs of the metric on this task; none when the task does not have the metric. */
  readonly outputs: readonly OutputLayout[];
}

export function createScoreTable(metricNames: Interner): ScoreTable {
  const rows = createRowTable();
  const labels = createInterner();
  const metrics = createColumn(Int32Array);
  const firsts = createColumn(Uint32Array);
  const tags = createColumn(Uint8Array);
  const values = createColumn(Float64Array);

  const observe = (tag: number, value: number) => {
    tags.push(tag);
    values.push(value);
  };
  const observeValue = (value: JsonValue, kind: OutputKind) => {
    const plain = typeof value === "string" ? decodeText(value, kind) : value;
    if (typeof plain === "number") observe(observed.number, plain);
    else if (typeof plain === "boolean") observe(observed.boolean, Number(plain));
    else if (typeof plain === "string") observe(observed.label, labels.indexOf(plain));
    else observe(observed.other, 0);
  };
  const compareObservations = (a: number, b: number) => {
    const tag = tags.at(a);
    if (tag !== tags.at(b)) return tag - tags.at(b);
    const [left, right] = [values.at(a), values.at(b)];
    if (tag === observed.label) return compareText(labels.textOf(left), labels.textOf(right));
    return compareNumbers(left, right);
  };
  // The end of the last row's observations, so that a row's are those up to the next row's first.
  const endOf = (row: number) => (row + 1 < firsts.length ? firsts.at(row + 1) : tags.length);

  return {
    rows,
    metricNames,
    labels,
    tags,
    values,
    metricAt: metrics.at,
    firstObservationAt: firsts.at,
    compareRows(a, b) {
      const byMetric = compareText(
        metricNames.textOf(metrics.at(a)),
        metricNames.textOf(metrics.at(b)),
      );
      if (byMetric !== 0) return byMetric;
      const [start, other] = [firsts.at(a), firsts.at(b)];
      const count = Math.min(endOf(a) - start, endOf(b) - other);
      for (let index = 0; index < count; index += 1) {
        const order = compareObservations(start + index, other + index);
        if (order !== 0) return order;
      }
      return 0;
    },
    push({ score, taskIndex, order, outputs }) {
      rows.push(taskIndex, score.trialId, order);
      metrics.push(metricNames.indexOf(score.metricType));
      firsts.push(tags.length);
      const state = scoreStateOf(score);
      for (const { name, kind } of outputs) {
        const output = state === "measured" ? outputNamed(score.outputs, name) : undefined;
        if (output === undefined) observe(tagOf[state], 0);
        else observeValue(output.value, kind);
      }
    },
  };
}

const tagOf: Record<ScoreState, number> = {
  measured: observed.missing,
  unscored: observed.missing,
  metric_failed: observed.metricFailed,
  trial_failed: observed.trialFailed,
};

/** The first one, where a score repeats a name. */
function outputNamed(outputs: readonly ScoreOutput[], name: string): ScoreOutput | undefined {
  for (const output of outputs) if (output.name === name) return output;
  return undefined;
}

/** Strict JSON stores a non-finite number as text, which only a label may mean literally. */
function decodeText(text: string, kind: OutputKind): string | number {
  return kind === "label" ? text : (decodeNonFinite(text) ?? text);
}

/** NaN is last, and equal to itself. */
function compareNumbers(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
