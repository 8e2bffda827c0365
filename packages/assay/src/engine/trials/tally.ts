import type { StoredTrial } from "../../bundle/write-door.ts";
import type { ScoreRecord } from "../../schema/score.ts";
import type { ScoreState } from "../scoring/score-record.ts";

/** Counts of a run while it goes on. Usage counts every attempt, lost ones too. */
export class Tally {
  readonly trials = { completed: 0, partial: 0, failed: 0 };
  readonly scores = { scored: 0, unscored: 0, failed: 0 };
  /** Scores whose metric failed, apart from those of failed trials. */
  metricFailures = 0;
  missing = 0;
  attempts = 0;
  promptTokens: number | null = null;
  completionTokens: number | null = null;
  costUsd: number | null = null;
  readonly phasesMs: Record<string, number> = {};

  addTrial({ record, attempts }: StoredTrial): void {
    this.trials[record.status] += 1;
    for (const attempt of attempts) {
      this.attempts += 1;
      this.promptTokens = plus(this.promptTokens, attempt.promptTokens);
      this.completionTokens = plus(this.completionTokens, attempt.completionTokens);
      this.costUsd = plus(this.costUsd, attempt.costUsd);
      for (const [phase, ms] of Object.entries(attempt.phasesMs))
        this.phasesMs[phase] = (this.phasesMs[phase] ?? 0) + ms;
    }
  }

  addScore(state: ScoreState, record: ScoreRecord): void {
    this.scores[state] += 1;
    if (record.diagnostics.some(({ details }) => details["exception_type"] !== undefined))
      this.metricFailures += 1;
  }
}

function plus(sum: number | null, value: number | null): number | null {
  return value === null ? sum : (sum ?? 0) + value;
}
