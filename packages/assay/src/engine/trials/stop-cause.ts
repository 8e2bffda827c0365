/** Why a run ended before its plan. */
export interface StopCause {
  readonly kind: "interrupted" | "fail_fast" | "runner_failed" | "store_failed" | "missing_trials";
  readonly message: string;
  readonly cause?: unknown;
}
