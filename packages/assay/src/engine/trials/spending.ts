import type { RunOptions } from "../api.ts";
import type { Tally } from "./tally.ts";

/** What a run may spend. Cost, tokens and failures count all starts of the run; the time is of this one. */
export type SpendingLimits = Pick<
  RunOptions,
  "maxCostUsd" | "maxTokens" | "maxDurationS" | "maxFailedTrials"
>;

/** The limit that is reached, as a sentence; null when none is. */
export function limitReached(limits: SpendingLimits, tally: Tally): string | null {
  const { maxCostUsd, maxTokens, maxFailedTrials } = limits;
  const { failedTrials } = tally;
  const costUsd = maxCostUsd === undefined ? null : tally.costUsd;
  const tokens = maxTokens === undefined ? null : tokensOf(tally);
  if (maxCostUsd !== undefined && costUsd !== null && costUsd >= maxCostUsd)
    return `limit reached: ${costUsd} USD spent, ${maxCostUsd} allowed (max-cost)`;
  if (maxTokens !== undefined && tokens !== null && tokens >= maxTokens)
    return `limit reached: ${tokens} tokens used, ${maxTokens} allowed (max-tokens)`;
  if (maxFailedTrials !== undefined && failedTrials >= maxFailedTrials)
    return `limit reached: ${failedTrials} trials failed, ${maxFailedTrials} allowed (max-failed)`;
  return null;
}

/** Limits that mean nothing because no attempt told what it used, as sentences. */
export function unmeasuredLimits(limits: SpendingLimits, tally: Tally): readonly string[] {
  const { maxCostUsd, maxTokens } = limits;
  const unmeasured: string[] = [];
  if (maxCostUsd !== undefined && tally.costUsd === null)
    unmeasured.push("max-cost has no effect so far: no attempt has reported its cost");
  if (maxTokens !== undefined && tokensOf(tally) === null)
    unmeasured.push("max-tokens has no effect so far: no attempt has reported its tokens");
  return unmeasured;
}

function tokensOf({ promptTokens, completionTokens }: Tally): number | null {
  if (promptTokens === null && completionTokens === null) return null;
  return (promptTokens ?? 0) + (completionTokens ?? 0);
}
