import type { StoredTrial } from "../../bundle/write-door.ts";
import type { Attempt } from "../../schema/attempt.ts";
import type { Fact } from "../../schema/fact.ts";
import type { RunnerKind } from "../../schema/run-metadata.ts";
import { Decimal } from "../../support/decimal.ts";
import type { Score } from "../scoring/score-record.ts";
import { AttemptTotals } from "./attempt-totals.ts";

/** Counts of a run while it goes on. Usage counts every attempt, lost ones too; null is what no attempt told. */
export class Tally {
  failedTrials = 0;
  failedMetrics = 0;
  attempts = 0;
  promptTokens: number | null = null;
  completionTokens: number | null = null;
  cost: Decimal | null = null;
  totals = new AttemptTotals();

  addTrial({ record, attempts }: StoredTrial): void {
    if (record.status === "failed") this.failedTrials += 1;
    for (const attempt of attempts) this.addAttempt(attempt);
  }

  addAttempt(attempt: Attempt): void {
    const { promptTokens, completionTokens, costUsd } = attempt;
    this.attempts += 1;
    this.totals.add(attempt);
    this.promptTokens = plus(this.promptTokens, promptTokens);
    this.completionTokens = plus(this.completionTokens, completionTokens);
    if (typeof costUsd === "number") this.cost = (this.cost ?? Decimal.zero).plus(costUsd);
  }

  get costUsd(): number | null {
    return this.cost?.toNumber() ?? null;
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

/** Usage as it is stored for a run of such a target. */
export function usageFacts(
  { promptTokens, completionTokens, costUsd }: Tally,
  kind: RunnerKind,
): Readonly<Record<"promptTokens" | "completionTokens" | "costUsd", Fact<number>>> {
  const unknown =
    kind === "imported" ? "counted where its trials were made" : "no attempt reported it";
  /** A sum that cannot be stored is not known: the run was paid for, and its bundle must be written. */
  const factOf = (sum: number | null, isStorable: (sum: number) => boolean): Fact<number> => {
    if (sum === null) return { unknown };
    return isStorable(sum) ? sum : { unknown: "the sum is beyond what a number can hold" };
  };
  return {
    promptTokens: factOf(promptTokens, Number.isSafeInteger),
    completionTokens: factOf(completionTokens, Number.isSafeInteger),
    costUsd: factOf(costUsd, Number.isFinite),
  };
}

function plus(sum: number | null, value: number | null | undefined): number | null {
  return value === null || value === undefined ? sum : (sum ?? 0) + value;
}
