import {
  comparePairs,
  differenceOf,
  meanOf,
  type PairedComparison,
} from "../../statistics/paired-comparison.ts";
import { compareText } from "../../support/natural-order.ts";
import { createColumn } from "../summarise/columns.ts";
import type { OutputValues, ScoreValues } from "./score-values.ts";

/** What one bundle has of one output on one task. */
export interface TaskScore {
  /** Mean of the finite values; null without one. */
  readonly mean: number | null;
  /** Trials with a value, a label included. */
  readonly count: number;
  /** Trials that could not be produced, so that they have no value. */
  readonly failedCount: number;
  /** How often each label was given, by name; empty for outputs that are numbers. */
  readonly labels: Readonly<Record<string, number>>;
}

/** One output on one task that both bundles have. */
export interface TaskChange {
  readonly taskId: string;
  readonly a: TaskScore;
  readonly b: TaskScore;
  /** `b.mean - a.mean`; null where one of them has no mean. */
  readonly change: number | null;
}

/** One output over all tasks that have it in both bundles. */
export interface OutputDiff {
  /** `<metric>.<output>` */
  readonly output: string;
  /** Task by task, each counting once. Labels enter no mean. */
  readonly comparison: PairedComparison;
  /** Tasks whose mean, labels, or trials without a value differ, in the order of the first bundle. */
  readonly changedCount: number;
  /** Made as they are asked for. */
  changes(): Iterable<TaskChange>;
}

export interface ScorePairing {
  readonly a: ScoreValues;
  readonly b: ScoreValues;
  /** Tasks that both have, in plan order. */
  readonly taskIds: readonly string[];
  /** Both were to have as many trials of a task: then one with fewer values is a change. */
  readonly comparesCounts: boolean;
}

/** Compares the scores of the tasks that both bundles have. */
export function diffScores(pairing: ScorePairing): readonly OutputDiff[] {
  const { a, b, taskIds } = pairing;
  const byOutput = new Map<string, OutputPairs>();
  for (const [index, taskId] of taskIds.entries()) {
    const others = b.entriesOf(taskId);
    for (const [output, entry] of a.entriesOf(taskId)) {
      const other = others.get(output);
      if (other === undefined) continue;
      const pairs = byOutput.get(output) ?? new OutputPairs(pairing);
      byOutput.set(output, pairs);
      pairs.push(index, entry, other);
    }
  }
  return [...byOutput]
    .sort(([one], [other]) => compareText(one, other))
    .map(([output, pairs]) => pairs.diff(output));
}

class OutputPairs {
  readonly #pairing: ScorePairing;
  readonly #tasks = createColumn();
  readonly #entriesA = createColumn();
  readonly #entriesB = createColumn();

  constructor(pairing: ScorePairing) {
    this.#pairing = pairing;
  }

  push(task: number, entryA: number, entryB: number): void {
    this.#tasks.push(task);
    this.#entriesA.push(entryA);
    this.#entriesB.push(entryB);
  }

  diff(output: string): OutputDiff {
    const changed = createColumn();
    const comparison = comparePairs(this.#numbersAndChanges((pair) => changed.push(pair)));
    return {
      output,
      comparison,
      changedCount: changed.length,
      changes: () => this.#changesAt(changed.toArray()),
    };
  }

  /** The pairs of numbers; tells which pairs differ on the way, so that each is looked at once. */
  *#numbersAndChanges(onChange: (pair: number) => void) {
    for (let pair = 0; pair < this.#tasks.length; pair += 1) {
      const [a, b] = this.#valuesAt(pair);
      yield { a: a.numbers, b: b.numbers };
      if (!this.#isSame(a, b)) onChange(pair);
    }
  }

  *#changesAt(pairs: Iterable<number>): Generator<TaskChange> {
    for (const pair of pairs) {
      const [a, b] = this.#valuesAt(pair).map(scoreOf) as [TaskScore, TaskScore];
      const taskId = this.#pairing.taskIds[this.#tasks.at(pair)] ?? "";
      yield { taskId, a, b, change: differenceOf(a.mean, b.mean) };
    }
  }

  #valuesAt(pair: number): readonly [OutputValues, OutputValues] {
    const { a, b } = this.#pairing;
    return [a.valuesOf(this.#entriesA.at(pair)), b.valuesOf(this.#entriesB.at(pair))];
  }

  /** Trials of a task are alike: which of them had which value says nothing. */
  #isSame(a: OutputValues, b: OutputValues): boolean {
    if (a.failedCount !== b.failedCount) return false;
    const hasSameCount =
      a.numbers.length === b.numbers.length && a.labels.length === b.labels.length;
    if (this.#pairing.comparesCounts && !hasSameCount) return false;
    return (
      (areEqual(a.numbers, b.numbers) || meanOf(a.numbers) === meanOf(b.numbers)) &&
      hasSameShares(a.labels, b.labels)
    );
  }
}

function hasSameShares(a: readonly string[], b: readonly string[]): boolean {
  if (a.length === 0 || b.length === 0) return a.length === b.length;
  const [one, other] = [labelCounts(a), labelCounts(b)];
  if (one.size !== other.size) return false;
  return [...one].every(
    ([label, count]) => count * b.length === (other.get(label) ?? 0) * a.length,
  );
}

function labelCounts(labels: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const label of [...labels].sort(compareText))
    counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}

function areEqual<T>(a: ArrayLike<T>, b: ArrayLike<T>): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1)
    if (!Object.is(a[index], b[index])) return false;
  return true;
}

function scoreOf({ numbers, labels, failedCount }: OutputValues): TaskScore {
  return {
    mean: meanOf(numbers),
    count: numbers.length + labels.length,
    failedCount,
    labels: Object.fromEntries(labelCounts(labels)),
  };
}
