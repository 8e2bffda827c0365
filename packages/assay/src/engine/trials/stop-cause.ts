/** Why a run ended before its plan. */
export interface StopCause {
  readonly kind: "interrupted" | "fail_fast" | "store_failed" | "missing_trials";
  readonly message: string;
  readonly cause?: unknown;
}
