import { passThreshold } from "../../statistics/pass-at-k.ts";
import { reduceSignals } from "../../statistics/reducers.ts";
import { observed, type ScoreTable } from "./score-table.ts";
import type { OutputTally } from "./tallies.ts";
import type { OutputLayout, SignalLayout, TaskLayout } from "./task-layout.ts";

/**
 * Adds the scores of one task, in trial order, to the tallies of its outputs and views.
 * Returns how many trials the scores are of.
 */
export function foldTask(table: ScoreTable, layout: TaskLayout, rows: Uint32Array): number {
  for (const [metric, outputs] of layout.outputsByMetric) {
    const own = rows.filter((row) => table.metrics.at(row) === metric);
    for (const [position, output] of outputs.entries()) foldOutput(table, output, own, position);
  }
  let trialCount = 0;
  for (const trial of trialsOf(table, rows)) {
    const occurrences = occurrencesOf(table, trial);
    trialCount += occurrences;
    if (layout.views.length > 0) foldViews(table, layout, trial, occurrences);
  }
  return trialCount;
}

function foldOutput(
  table: ScoreTable,
  { kind, tally }: OutputLayout,
  rows: Uint32Array,
  position: number,
): void {
  let trialCount = 0;
  let passCount = 0;
  for (const row of rows) {
    const index = table.firsts.at(row) + position;
    const tag = table.tags.at(index);
    const value = table.values.at(index);
    count(tally, tag);
    if (tag === observed.label) addLabel(tally, table.labels.textOf(value));
    if (isNumeric(tag)) tally.numbers.push(value);
    if (isNumeric(tag) || tag === observed.trialFailed) trialCount += 1;
    if (isNumeric(tag) && value >= passThreshold) passCount += 1;
  }
  if (rows.length > 0 && kind !== "label") tally.isLabel = false;
  if (kind !== "continuous" && kind !== "boolean") return;
  tally.passes.declaringTasks += 1;
  tally.passes.maxObservations = Math.max(tally.passes.maxObservations, rows.length);
  tally.passes.trialCounts.push(trialCount);
  tally.passes.passCounts.push(passCount);
}

function count(tally: OutputTally, tag: number): void {
  tally.total += 1;
  if (tag <= observed.other) tally.scored += 1;
  else if (tag !== observed.missing) tally.failed += 1;
}

function isNumeric(tag: number): boolean {
  return tag === observed.number || tag === observed.boolean;
}

function addLabel({ labels }: OutputTally, label: string): void {
  labels.set(label, (labels.get(label) ?? 0) + 1);
}

/** The rows of each trial id: they follow each other, and so do those of one metric. */
function* trialsOf({ rows: table }: ScoreTable, rows: Uint32Array): Generator<Uint32Array> {
  let start = 0;
  for (let index = 1; index < rows.length; index += 1) {
    if (table.isSameTrial(rows[index - 1] as number, rows[index] as number)) continue;
    yield rows.subarray(start, index);
    start = index;
  }
  if (rows.length > start) yield rows.subarray(start);
}

/** How many trials share one id: as many as there are scores of one metric. */
function occurrencesOf(table: ScoreTable, trial: Uint32Array): number {
  let most = 0;
  let run = 0;
  let metric = -1;
  for (const row of trial) {
    run = table.metrics.at(row) === metric ? run + 1 : 1;
    metric = table.metrics.at(row);
    most = Math.max(most, run);
  }
  return most;
}

function foldViews(
  table: ScoreTable,
  { views }: TaskLayout,
  trial: Uint32Array,
  occurrences: number,
): void {
  for (let occurrence = 0; occurrence < occurrences; occurrence += 1) {
    for (const { reducer, signals, tally } of views) {
      const value = reduceSignals(
        reducer,
        signals.map((signal) => ({
          value: signalValue(table, signal, rowOf(table, trial, signal.metric, occurrence)),
          weight: signal.weight,
        })),
      );
      tally.total += 1;
      if (value !== null) tally.values.push(value);
    }
  }
}

/** Where an id repeats, the scores of its trials are paired by their place. */
function rowOf(
  table: ScoreTable,
  trial: Uint32Array,
  metric: number,
  occurrence: number,
): number | null {
  const first = trial.findIndex((row) => table.metrics.at(row) === metric);
  const row = first < 0 ? undefined : trial[first + occurrence];
  return row !== undefined && table.metrics.at(row) === metric ? row : null;
}

function signalValue(
  table: ScoreTable,
  { position }: SignalLayout,
  row: number | null,
): number | null {
  if (row === null || position < 0) return null;
  const index = table.firsts.at(row) + position;
  return isNumeric(table.tags.at(index)) ? table.values.at(index) : null;
}
