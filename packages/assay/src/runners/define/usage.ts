import type { Measurements } from "../../schema/trial.ts";

/** Usage of one model call or one turn; absent is unknown, which is not 0. */
export interface UsageDraft {
  readonly promptTokens?: number | null;
  readonly completionTokens?: number | null;
  readonly totalTokens?: number | null;
  readonly cacheCreationTokens?: number | null;
  readonly cacheReadTokens?: number | null;
  readonly costUsd?: number | null;
}

const tokenFields = ["promptTokens", "completionTokens", "totalTokens", "cacheCreationTokens", "cacheReadTokens"] as const;

/** Sums usage. Only non-negative integers count as tokens, only finite numbers as cost; anything else is ignored. */
export class UsageMeter {
  readonly #sums: Partial<Record<(typeof tokenFields)[number] | "costUsd", number>> = {};

  add(usage: UsageDraft): void {
    for (const field of tokenFields) {
      const value = usage[field];
      if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) {
        this.#sums[field] = (this.#sums[field] ?? 0) + value;
      }
    }
    const cost = usage.costUsd;
    if (typeof cost === "number" && Number.isFinite(cost)) this.#sums.costUsd = (this.#sums.costUsd ?? 0) + cost;
  }

  get sums(): Partial<Measurements> {
    return { ...this.#sums };
  }
}
