import type { Aggregate, Coverage } from "../../schema/summary.ts";
import { rangeAggregate, rubricAggregate } from "../../statistics/aggregates.ts";
import { passAtK, passAtKSteps } from "../../statistics/pass-at-k.ts";
import { sortOwnSample, sortSample } from "../../statistics/sample.ts";
import { type Column, createColumn } from "./columns.ts";

/** Running counts of one output over all tasks. */
export interface OutputTally {
  readonly metric: string;
  readonly output: string;
  /** `<metric>.<output>` */
  readonly name: string;
  total: number;
  scored: number;
  failed: number;
  /** True while every task that was observed declares it a label. */
  isLabel: boolean;
  readonly numbers: Column;
  readonly labels: Map<string, number>;
  readonly passes: PassTally;
}

/** Trials and passes of each task that declares an output which can pass. */
export interface PassTally {
  declaringTasks: number;
  /** The largest number of observations on one task. */
  maxObservations: number;
  readonly trialCounts: Column;
  readonly passCounts: Column;
}

export function createOutputTally(metric: string, output: string): OutputTally {
  return {
    metric,
    output,
    name: `${metric}.${output}`,
    total: 0,
    scored: 0,
    failed: 0,
    isLabel: true,
    numbers: createColumn(),
    labels: new Map(),
    passes: {
      declaringTasks: 0,
      maxObservations: 0,
      trialCounts: createColumn(),
      passCounts: createColumn(),
    },
  };
}

/** Running values of one view over all tasks that have it. */
export interface ViewTally {
  readonly name: string;
  total: number;
  readonly values: Column;
}

export function createViewTally(name: string): ViewTally {
  return { name, total: 0, values: createColumn() };
}

export function coverageOf({ total, scored, failed }: OutputTally): Coverage {
  return { total, scored, failed, missing: total - scored - failed };
}

export function outputAggregate({ name, numbers, labels, total, isLabel }: OutputTally): Aggregate {
  return isLabel
    ? rubricAggregate({ name, labels, total })
    : rangeAggregate({ name, sample: sortOwnSample(numbers.toArray()), total });
}

export function viewAggregate({ name, values, total }: ViewTally): Aggregate {
  return rangeAggregate({ name: `view.${name}`, sample: sortOwnSample(values.toArray()), total });
}

/** One aggregate over tasks for each k; tasks with fewer than k trials that count are `nanCount`. */
export function* passAggregates({ name, passes }: OutputTally): Generator<Aggregate> {
  const { trialCounts, passCounts, declaringTasks, maxObservations } = passes;
  for (const k of passAtKSteps(maxObservations)) {
    const values: number[] = [];
    for (let index = 0; index < trialCounts.length; index += 1) {
      const counts = { trialCount: trialCounts.at(index), passCount: passCounts.at(index) };
      const estimate = passAtK(counts, k);
      if (estimate !== null) values.push(estimate);
    }
    yield rangeAggregate({
      name: `${name}.pass@${k}`,
      sample: sortSample(values),
      total: declaringTasks,
    });
  }
}
