import type { Summary, TaskMetricValue } from "../../schema/summary.ts";
import { type Column, createColumn, createInterner } from "../summarise/columns.ts";

/** The values of one output on one task: one for each trial that was measured. */
export interface OutputValues {
  /** What is finite of them. */
  readonly numbers: Float64Array;
  readonly labels: readonly string[];
  /** Trials that could not be produced. */
  readonly failedCount: number;
}

/** The values of a summary by task and output, as columns: a few bytes for each, in place of an object. */
export class ScoreValues {
  readonly #taskIndexes: ReadonlyMap<string, number>;
  readonly #outputNames = createInterner();
  readonly #labelTexts = createInterner();
  readonly #numbers = createColumn();
  readonly #labels = createColumn();
  /** One entry for each output of each task, those of a task behind each other. */
  readonly #outputs = createColumn();
  readonly #failedCounts = createColumn();
  /** Where the values of an entry end, which is where those of the next one begin. */
  readonly #numberEnds = createColumn();
  readonly #labelEnds = createColumn();
  readonly #taskEnds = createColumn();

  constructor({ taskMetricValues }: Pick<Summary, "taskMetricValues">, taskIds: readonly string[]) {
    this.#taskIndexes = new Map(taskIds.map((id, index) => [id, index]));
    for (const taskId of taskIds) {
      const outputs = Object.hasOwn(taskMetricValues, taskId)
        ? taskMetricValues[taskId]
        : undefined;
      for (const name of Object.keys(outputs ?? {})) this.#push(name, outputs?.[name] ?? []);
      this.#taskEnds.push(this.#outputs.length);
    }
  }

  #push(name: string, records: readonly TaskMetricValue[]): void {
    let failedCount = 0;
    for (const { value, valueType } of records) {
      if (value === null) failedCount += 1;
      else if (valueType === "label") this.#labels.push(this.#labelTexts.indexOf(String(value)));
      else if (Number.isFinite(Number(value))) this.#numbers.push(Number(value));
    }
    this.#outputs.push(this.#outputNames.indexOf(name));
    this.#failedCounts.push(failedCount);
    this.#numberEnds.push(this.#numbers.length);
    this.#labelEnds.push(this.#labels.length);
  }

  /** Names of all outputs that any of the tasks has. */
  get outputNames(): ReadonlySet<string> {
    return new Set(
      Array.from({ length: this.#outputNames.size }, (_, index) => this.#outputNames.textOf(index)),
    );
  }

  /** The entries of a task by output. An entry is a number for `valuesOf`. */
  entriesOf(taskId: string): ReadonlyMap<string, number> {
    const task = this.#taskIndexes.get(taskId);
    const entries = new Map<string, number>();
    if (task === undefined) return entries;
    for (let entry = startOf(this.#taskEnds, task); entry < this.#taskEnds.at(task); entry += 1)
      entries.set(this.#outputNames.textOf(this.#outputs.at(entry)), entry);
    return entries;
  }

  valuesOf(entry: number): OutputValues {
    return {
      numbers: Float64Array.from(range(this.#numberEnds, entry), (at) => this.#numbers.at(at)),
      labels: range(this.#labelEnds, entry).map((at) =>
        this.#labelTexts.textOf(this.#labels.at(at)),
      ),
      failedCount: this.#failedCounts.at(entry),
    };
  }
}

function startOf(ends: Column, index: number): number {
  return index === 0 ? 0 : ends.at(index - 1);
}

function range(ends: Column, index: number): readonly number[] {
  const start = startOf(ends, index);
  return Array.from({ length: ends.at(index) - start }, (_, offset) => start + offset);
}
