import { TrialOrderBook } from "../../bundle/trial-order.ts";
import type { AttemptRecord } from "../../schema/attempt.ts";
import type { ScoreRecord } from "../../schema/score.ts";
import type { Summary } from "../../schema/summary.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { copyPlain } from "../../support/json.ts";
import { createSummaryAccumulator, type SummaryAccumulator } from "../summarise/accumulator.ts";
import type { SummaryTask } from "../summarise/task-layout.ts";
import { Tally } from "../trials/tally.ts";

/** The figures that rows give. Tasks are added first, then attempts, which say the order of the trials. */
export class RecordFigures {
  readonly tally = new Tally();
  readonly #tasks: SummaryTask[] = [];
  readonly #order = new TrialOrderBook();
  #accumulator: SummaryAccumulator | null = null;

  addTask({ id, metrics, views }: SummaryTask): void {
    this.#tasks.push({ id, metrics: copyPlain(metrics), views: copyPlain(views) });
  }

  addAttempt(attempt: AttemptRecord): void {
    this.#order.add(attempt);
    this.tally.addAttempt(attempt);
  }

  addTrial(trial: TrialRecord): void {
    this.#summary().addTrial(trial);
  }

  addScore(score: ScoreRecord): void {
    this.#summary().addScore(score);
  }

  /** After the last row. Figures of the runner's own are in no row. */
  summary(): Summary {
    return this.#summary().finish([]);
  }

  #summary(): SummaryAccumulator {
    this.#accumulator ??= createSummaryAccumulator(this.#tasks, this.#order.orderOf);
    return this.#accumulator;
  }
}
