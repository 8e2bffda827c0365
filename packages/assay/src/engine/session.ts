import type { Recovery } from "../bundle/recovery/recover-journal.ts";
import type { WriteDoor } from "../bundle/write-door.ts";
import type { TrialPlan } from "../contracts/runner.ts";
import type { Invocation } from "../schema/invocation.ts";
import type { RunDirectory } from "./directory.ts";
import type { Tally } from "./trials/tally.ts";

/** One start of a run: of a new one, or of one that ended before its plan. */
export interface Session {
  readonly door: WriteDoor;
  readonly directory: RunDirectory;
  /** What is asked of the runner now. */
  readonly plan: TrialPlan;
  /** Counts what earlier starts spent too. */
  readonly tally: Tally;
  readonly earlier: EarlierStarts | null;
}

/** What earlier starts of the run left. */
export interface EarlierStarts {
  readonly invocations: readonly Invocation[];
  readonly recovery: Recovery;
  /** Failed trials and metrics are done again. */
  readonly retryFailed: boolean;
  /** Trials or scores that are there are done again, and their rows will stand twice for a while. */
  readonly supersedes: boolean;
  /** Digest of what they had sealed; null when they had not. */
  readonly bundleDigest: string | null;
  /** All of the plan is there and sealed: nothing is left to do. */
  readonly isWhole: boolean;
  /** Differences from their plan that were accepted. */
  readonly accepted: readonly string[];
}
