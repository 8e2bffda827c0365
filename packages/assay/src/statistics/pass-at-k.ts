import { AssayError } from "../errors/assay-error.ts";

/** A trial passes with full credit: a value of at least this; true counts as 1. */
export const passThreshold = 1;

export interface PassCounts {
  /** Trials that count: measured ones, and those that could not be produced. */
  readonly trialCount: number;
  readonly passCount: number;
}

/**
 * Unbiased estimate of the chance that at least one of `k` trials passes, 1 − C(n−c, k)/C(n, k), by the stable product
 * of Chen et al. 2021 ("Evaluating Large Language Models Trained on Code"). Null with fewer than `k` trials.
 */
export function passAtK({ trialCount, passCount }: PassCounts, k: number): number | null {
  const isValid =
    [trialCount, passCount, k].every(Number.isSafeInteger) && passCount >= 0 && k >= 1;
  if (!isValid || passCount > trialCount) {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `pass@k needs whole numbers with 0 ≤ passes ≤ trials and k ≥ 1, not ${passCount} of ${trialCount} at k=${k}`,
    );
  }
  if (trialCount < k) return null;
  if (trialCount - passCount < k) return 1;
  let allFail = 1;
  for (let i = trialCount - passCount + 1; i <= trialCount; i += 1) allFail *= 1 - k / i;
  return 1 - allFail;
}

const everyKUpTo = 16;

/** The values of k that are reported: each up to 16, then powers of two, then the largest possible. */
export function passAtKSteps(maxK: number): number[] {
  const steps = Array.from({ length: Math.min(maxK, everyKUpTo) }, (_, index) => index + 1);
  for (let k = everyKUpTo * 2; k < maxK; k *= 2) steps.push(k);
  if (maxK > everyKUpTo) steps.push(maxK);
  return steps;
}
