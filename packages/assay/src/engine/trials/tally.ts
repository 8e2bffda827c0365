import type { StoredTrial } from "../../bundle/write-door.ts";
import type { Score } from "../scoring/score-record.ts";

/** Counts of a run while it goes on. Usage counts every attempt, lost ones too. */
export class Tally {
  failedTrials = 0;
  failedMetrics = 0;
  attempts = 0;
  promptTokens: number | null = null;
  completionTokens: number | null = null;
  costUsd: number | null = null;

  addTrial({ record, attempts }: StoredTrial): void {
    if (record.status === "failed") this.failedTrials += 1;
    for (const { promptTokens, completionTokens, costUsd } of attempts) {
      this.attempts += 1;
      this.promptTokens = plus(this.promptTokens, promptTokens);
      this.completionTokens = plus(this.completionTokens, completionTokens);
      this.costUsd = plus(this.costUsd, costUsd);
    }
  }

  addScore({ hasMetricFailed }: Score): void {
    if (hasMetricFailed) this.failedMetrics += 1;
  }
}

function plus(sum: number | null, value: number | null): number | null {
  return value === null ? sum : (sum ?? 0) + value;
}
