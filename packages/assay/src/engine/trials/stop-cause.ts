import { messageOf } from "../../errors/assay-error.ts";

/** Why a run ended before its plan, from the mildest: of several the last in this list counts. */
export const stopKinds = [
  "missing_trials",
  "limit_reached",
  "fail_fast",
  "interrupted",
  "store_failed",
] as const;

export interface StopCause {
  readonly kind: (typeof stopKinds)[number];
  readonly message: string;
  readonly cause?: unknown;
}

/** The cause to tell of two; the earlier one when they are of one kind. */
export function graver(earlier: StopCause | null, later: StopCause): StopCause {
  if (earlier === null) return later;
  return stopKinds.indexOf(later.kind) > stopKinds.indexOf(earlier.kind) ? later : earlier;
}

/** What the run stands in could not be written: nothing more may be reported as done. */
export function storeFailed(cause: unknown): StopCause {
  return { kind: "store_failed", message: messageOf(cause), cause };
}
