import type { Measurements } from "../../schema/trial.ts";
import { Decimal } from "../../support/decimal.ts";

/** Usage of one model call or one turn; absent is unknown, which is not 0. */
export interface UsageDraft {
  readonly promptTokens?: number | null;
  readonly completionTokens?: number | null;
  readonly totalTokens?: number | null;
  readonly cacheCreationTokens?: number | null;
  readonly cacheReadTokens?: number | null;
  readonly costUsd?: number | null;
}

type MeasurementsDraft = { readonly [K in keyof Measurements]?: Measurements[K] | undefined };

const tokenFields = [
  "promptTokens",
  "completionTokens",
  "totalTokens",
  "cacheCreationTokens",
  "cacheReadTokens",
] as const;

/**
 * Sums usage. Only non-negative integers count as tokens, only finite numbers of at least 0 as cost; anything else is ignored. A sum
 * that a number cannot hold is not known.
 */
export class UsageMeter {
  readonly #sums: Partial<Record<(typeof tokenFields)[number], number | null>> = {};
  #cost: Decimal | null = null;

  add(usage: UsageDraft): void {
    for (const field of tokenFields) {
      const value = usage[field];
      if (typeof value !== "number" || !Number.isSafeInteger(value) || value < 0) continue;
      this.#sums[field] = plus(this.#sums[field], value);
    }
    const { costUsd } = usage;
    if (typeof costUsd === "number" && Number.isFinite(costUsd) && costUsd >= 0)
      this.#cost = (this.#cost ?? Decimal.zero).plus(costUsd);
  }

  /** The sums and the time, with what the draft says itself in their place where it says something. */
  measurements(runtimeSec: number, drafted?: MeasurementsDraft): Measurements {
    const sums = this.#sums;
    const measured: Measurements = {
      runtimeSec,
      promptTokens: sums.promptTokens ?? null,
      completionTokens: sums.completionTokens ?? null,
      totalTokens: sums.totalTokens ?? null,
      cacheCreationTokens: sums.cacheCreationTokens ?? null,
      cacheReadTokens: sums.cacheReadTokens ?? null,
      costUsd: this.#costUsd(),
    };
    if (drafted === undefined) return measured;
    const said = Object.entries(drafted).filter(([, value]) => typeof value === "number");
    return { ...measured, ...Object.fromEntries(said) };
  }

  #costUsd(): number | null {
    const sum = this.#cost?.toNumber() ?? null;
    return Number.isFinite(sum) ? sum : null;
  }
}

/** Null, once the sum is beyond what can be stored. */
function plus(sum: number | null | undefined, value: number): number | null {
  if (sum === null) return null;
  const next = (sum ?? 0) + value;
  return Number.isSafeInteger(next) ? next : null;
}
