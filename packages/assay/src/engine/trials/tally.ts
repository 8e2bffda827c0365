import type { StoredTrial } from "../../bundle/write-door.ts";
import type { Attempt } from "../../schema/attempt.ts";
import type { Fact } from "../../schema/fact.ts";
import type { Score } from "../scoring/score-record.ts";
import { AttemptTotals } from "./attempt-totals.ts";

const unreported: Fact<number> = { unknown: "no attempt reported it" };
const elsewhere: Fact<number> = { unknown: "counted where its trials were made" };
const beyond: Fact<number> = { unknown: "the sum is beyond what a number can hold" };

/** Counts of a run while it goes on. Usage counts every attempt, lost ones too. */
export class Tally {
  failedTrials = 0;
  failedMetrics = 0;
  attempts = 0;
  promptTokens: Fact<number> = unreported;
  completionTokens: Fact<number> = unreported;
  costUsd: Fact<number> = unreported;
  totals = new AttemptTotals();

  addTrial({ record, attempts }: StoredTrial): void {
    if (record.status === "failed") this.failedTrials += 1;
    for (const attempt of attempts) this.addAttempt(attempt);
  }

  addAttempt(attempt: Attempt): void {
    const { promptTokens, completionTokens, costUsd } = attempt;
    this.attempts += 1;
    this.totals.add(attempt);
    if (attempt.cause === "imported" && this.attempts === 1)
      this.promptTokens = this.completionTokens = this.costUsd = elsewhere;
    this.promptTokens = plus(this.promptTokens, promptTokens, Number.isSafeInteger);
    this.completionTokens = plus(this.completionTokens, completionTokens, Number.isSafeInteger);
    this.costUsd = plus(this.costUsd, costUsd, Number.isFinite);
  }

  /** One that goes on counting by itself; its totals begin anew. */
  copy(): Tally {
    return Object.assign(new Tally(), this, { totals: new AttemptTotals() });
  }

  /** Failures of earlier starts of the run. */
  addFailures({ trials, metrics }: { readonly trials: number; readonly metrics: number }): void {
    this.failedTrials += trials;
    this.failedMetrics += metrics;
  }

  addScore({ hasMetricFailed }: Score): void {
    if (hasMetricFailed) this.failedMetrics += 1;
  }
}

/** A sum that cannot be stored is not known: the run was paid for, and its bundle must be written. */
function plus(
  sum: Fact<number>,
  value: number | null | undefined,
  isStorable: (sum: number) => boolean,
): Fact<number> {
  if (value === null || value === undefined || sum === beyond) return sum;
  const next = typeof sum === "number" ? sum + value : value;
  return isStorable(next) ? next : beyond;
}
