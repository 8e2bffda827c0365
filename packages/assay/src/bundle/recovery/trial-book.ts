import type { ScoreRecord } from "../../schema/score.ts";
import type { TrialRecord } from "../../schema/trial.ts";

/** What a run is to hold: so many trials of each task, and a score of each for every metric. */
export interface PlanShape {
  readonly taskIds: readonly string[];
  readonly trialsPerTask: number;
  /** Types of the metrics of each task, in task order. */
  readonly metricTypes: readonly (readonly string[])[];
}

/** Which planned trial: a number below `taskCount * trialsPerTask`. */
export type Place = number;

/** A metric failed, which `retryFailed` repeats; all else that has a row is done. */
type ScoreState = "scored" | "metric_failed" | "of_failed_trial";

const none = -1;
const codes = { completed: 1, partial: 2, failed: 3, missing: 4 } as const;
const scoreCodes = { scored: 1, metric_failed: 2, of_failed_trial: 3 } as const;

/**
 * What there is of a plan on disk, in a few bytes per trial: which row counts of each trial and of each score, and how
 * they ended. A later row of one trial or score takes the place of an earlier one.
 */
export class TrialBook {
  readonly #trialsPerTask: number;
  readonly #metricTypes: PlanShape["metricTypes"];
  readonly #taskIndexes: ReadonlyMap<string, number>;
  /** First score slot of each task. */
  readonly #slotStarts: Uint32Array;
  readonly #trialRows: Int32Array;
  readonly #statuses: Uint8Array;
  readonly #attemptCounts: Uint8Array;
  readonly #scoreRows: Int32Array;
  readonly #scoreStates: Uint8Array;
  #trialCount = 0;
  #scoreCount = 0;

  constructor({ taskIds, trialsPerTask, metricTypes }: PlanShape) {
    this.#trialsPerTask = trialsPerTask;
    this.#metricTypes = metricTypes;
    this.#taskIndexes = new Map(taskIds.map((id, index) => [id, index]));
    const places = taskIds.length * trialsPerTask;
    this.#slotStarts = new Uint32Array(taskIds.length + 1);
    for (const [index, types] of metricTypes.entries())
      this.#slotStarts[index + 1] = at(this.#slotStarts, index) + types.length * trialsPerTask;
    const slots = at(this.#slotStarts, taskIds.length);
    this.#trialRows = new Int32Array(places).fill(none);
    this.#statuses = new Uint8Array(places);
    this.#attemptCounts = new Uint8Array(places);
    this.#scoreRows = new Int32Array(slots).fill(none);
    this.#scoreStates = new Uint8Array(slots);
  }

  /** Null for a trial that is not planned. */
  placeOf(taskId: string, trialIndex: number | null): Place | null {
    const task = this.#taskIndexes.get(taskId);
    if (task === undefined || trialIndex === null || trialIndex >= this.#trialsPerTask) return null;
    return task * this.#trialsPerTask + trialIndex;
  }

  taskIndexOf(place: Place): number {
    return Math.floor(place / this.#trialsPerTask);
  }

  /** Trials that have a row that counts. */
  get trialCount(): number {
    return this.#trialCount;
  }

  /** Scores that have a row that counts. */
  get scoreCount(): number {
    return this.#scoreCount;
  }

  addAttempt(place: Place): void {
    this.#attemptCounts[place] = Math.min(255, at(this.#attemptCounts, place) + 1);
  }

  attemptCount(place: Place): number {
    return at(this.#attemptCounts, place);
  }

  addTrial(place: Place, row: number, { status, error }: TrialRecord): void {
    if (!this.hasTrial(place)) this.#trialCount += 1;
    this.#trialRows[place] = row;
    this.#statuses[place] = codes[error?.type === "MissingTrial" ? "missing" : status];
  }

  /** Its evidence is not there: it is done again. */
  dropTrial(place: Place): void {
    if (this.hasTrial(place)) this.#trialCount -= 1;
    this.#trialRows[place] = none;
  }

  hasTrial(place: Place): boolean {
    return at(this.#trialRows, place) !== none;
  }

  hasFailed(place: Place): boolean {
    return at(this.#statuses, place) >= codes.failed;
  }

  /** Whether the trial is to be produced; one that never came always is. */
  isOpen(place: Place, retryFailed: boolean): boolean {
    const status = at(this.#statuses, place);
    return (
      !this.hasTrial(place) || status === codes.missing || (retryFailed && status === codes.failed)
    );
  }

  /** Whether this row is the one that counts. */
  countsTrial(place: Place, row: number): boolean {
    return at(this.#trialRows, place) === row;
  }

  addScore(place: Place, score: ScoreRecord, row: number): void {
    const slot = this.#slotOf(place, score.metricType);
    if (slot === null || !this.hasTrial(place)) return;
    const state = stateOf(score);
    // A row that says "the trial failed" is of an earlier trial where the one that counts did not.
    if (state === "of_failed_trial" && !this.hasFailed(place)) return;
    if (at(this.#scoreRows, slot) === none) this.#scoreCount += 1;
    this.#scoreRows[slot] = row;
    this.#scoreStates[slot] = scoreCodes[state];
  }

  countsScore(place: Place, metricType: string, row: number): boolean {
    const slot = this.#slotOf(place, metricType);
    return slot !== null && at(this.#scoreRows, slot) === row;
  }

  /** Positions of the metrics of its task that have no score yet; with `retryFailed` of those that failed as well. */
  openMetrics(place: Place, retryFailed: boolean): readonly number[] {
    const types = this.#metricTypes[this.taskIndexOf(place)] ?? [];
    const first = this.#firstSlot(place);
    return types.flatMap((_type, index) =>
      this.#isOpenSlot(first + index, retryFailed) ? [index] : [],
    );
  }

  /** How many scores are still to compute, of trials that are there and of others. */
  openScoreCount(retryFailed: boolean): number {
    let count = 0;
    for (let slot = 0; slot < this.#scoreRows.length; slot += 1)
      if (this.#isOpenSlot(slot, retryFailed)) count += 1;
    return count;
  }

  #isOpenSlot(slot: number, retryFailed: boolean): boolean {
    if (at(this.#scoreRows, slot) === none) return true;
    return retryFailed && at(this.#scoreStates, slot) === scoreCodes.metric_failed;
  }

  /** Indexes of the trials of a task that are still to produce. */
  openTrials(taskIndex: number, retryFailed: boolean): readonly number[] {
    const open: number[] = [];
    for (let index = 0; index < this.#trialsPerTask; index += 1) {
      if (this.isOpen(taskIndex * this.#trialsPerTask + index, retryFailed)) open.push(index);
    }
    return open;
  }

  /** How many of the rows that stay are of failed trials and failed metrics. */
  failures(retryFailed: boolean): { readonly trials: number; readonly metrics: number } {
    if (retryFailed) return { trials: 0, metrics: 0 };
    let trials = 0;
    let metrics = 0;
    for (const place of this.#trialRows.keys())
      if (!this.isOpen(place, retryFailed) && this.hasFailed(place)) trials += 1;
    for (const [slot, row] of this.#scoreRows.entries())
      if (row !== none && at(this.#scoreStates, slot) === scoreCodes.metric_failed) metrics += 1;
    return { trials, metrics };
  }

  #slotOf(place: Place, metricType: string): number | null {
    const task = this.taskIndexOf(place);
    const index = this.#metricTypes[task]?.indexOf(metricType) ?? none;
    return index === none ? null : this.#firstSlot(place) + index;
  }

  #firstSlot(place: Place): number {
    const task = this.taskIndexOf(place);
    const width = this.#metricTypes[task]?.length ?? 0;
    return at(this.#slotStarts, task) + (place % this.#trialsPerTask) * width;
  }
}

function at(list: Int32Array | Uint32Array | Uint8Array, index: number): number {
  return list[index] ?? none;
}

function stateOf({ status, diagnostics }: ScoreRecord): ScoreState {
  if (status !== "failed") return "scored";
  const has = (key: string) => diagnostics.some(({ details }) => Object.hasOwn(details, key));
  if (has("trial_status")) return "of_failed_trial";
  return has("exception_type") ? "metric_failed" : "scored";
}
