import type { OptionOverride } from "../contracts/runner.ts";
import type { FormatSummaryOptions } from "../report/text/format-summary.ts";
import type { RecordView } from "../report/text/records.ts";
import type { FlatRecord } from "../report/text/table.ts";
import type { RunStatus } from "../schema/manifest.ts";
import type { RunMetadata, RunnerInfo } from "../schema/run-metadata.ts";
import type { ScoreRecord } from "../schema/score.ts";
import type { Summary } from "../schema/summary.ts";
import type { TaskRecord } from "../schema/task.ts";
import type { TrialRecord, TrialStatus } from "../schema/trial.ts";
import type { JsonObject } from "../support/json.ts";

/** Rows that stay on disk: iterate as often as you like, or take them all. */
export interface Rows<T> extends AsyncIterable<T> {
  toArray(): Promise<T[]>;
}

/** What is told while a run goes on. All text is redacted. */
export type RunEvent =
  | {
      readonly type: "run-start";
      readonly runId: string;
      readonly taskCount: number;
      /** Trials that are to be run now. */
      readonly trialCount: number;
      /** Trials that earlier starts of the run have produced. */
      readonly earlierTrialCount: number;
      readonly scoreCount: number;
      readonly concurrency: number;
      readonly target: RunnerInfo;
      readonly workDir: string;
    }
  | {
      readonly type: "trial-end";
      readonly trialId: string;
      readonly taskId: string;
      readonly status: TrialStatus;
      readonly errorType: string | null;
      readonly durationMs: number | null;
    }
  | {
      readonly type: "score-end";
      readonly trialId: string;
      readonly taskId: string;
      readonly metricType: string;
      readonly status: "scored" | "unscored" | "failed";
    }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "cancelling"; readonly reason: string }
  | { readonly type: "run-end"; readonly status: RunStatus };

export interface RunOptions {
  /** Where the bundle is written. Null: a private temporary directory, which goes with this process. */
  readonly workDir?: string | null;
  readonly runId?: string;
  readonly signal?: AbortSignal;
  /** Option overrides of the target, by path; see `OptionOverride`. */
  readonly overrides?: readonly OptionOverride[];
  readonly trialsPerTask?: number;
  readonly concurrency?: number;
  readonly scoringConcurrency?: number;
  readonly failFast?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  /** Only these tasks. An unknown id is refused with a suggestion. */
  readonly taskIds?: readonly string[];
  /** Only the first tasks. */
  readonly limit?: number;
  /** US dollars; when they are spent no further trial is begun. All starts of the run count, lost attempts too. */
  readonly maxCostUsd?: number;
  /** Prompt and completion tokens; when they are used no further trial is begun. Counts like `maxCostUsd`. */
  readonly maxTokens?: number;
  /** Seconds of this start of the run, after which no further trial is begun. */
  readonly maxDurationS?: number;
  /** When so many trials have failed no further one is begun. */
  readonly maxFailedTrials?: number;
  /** Goes on with the run in `workDir` that ended before its plan: only what is missing is run and scored. */
  readonly resume?: boolean;
  /** With `resume`: failed trials and failed metrics are done again. */
  readonly retryFailed?: boolean;
  /** With `resume`: accepts that code, tools or content differ from what the run began with. It is recorded. */
  readonly allowDrift?: boolean;
  /** With `resume`: takes the run over from a process on another machine, of which you know that it is dead. */
  readonly takeOver?: boolean;
  /** File with a private Ed25519 key in PEM: the bundle is signed with it, in `provenance.dsse.json`. */
  readonly signKeyFile?: string;
  /**
   * With `resume`: the digest that the bundle has to have, as it was told at its last end. Asked for when what an earlier
   * start sealed is to be signed by a key that did not sign it.
   */
  readonly digest?: string;
  readonly onEvent?: (event: RunEvent) => void;
  /** How it was started, for provenance: the command line's words. */
  readonly invocation?: readonly string[];
}

/** What would be run. */
export interface PlanPreview {
  readonly suiteName: string;
  readonly target: RunnerInfo;
  readonly taskIds: readonly string[];
  readonly trialsPerTask: number;
  readonly trialCount: number;
  readonly metrics: readonly {
    readonly type: string;
    readonly digest: string;
    readonly taskCount: number;
  }[];
  readonly planDigest: string;
  readonly settingsDigest: string;
  readonly origins: Readonly<Record<string, string>>;
}

/** A run that has ended, or a bundle that was read. */
export interface EvalResult {
  readonly runId: string;
  readonly status: RunStatus;
  /** Why the status is not `completed`. */
  readonly statusCause: string | null;
  /** 0, 4, 130 or 143, as the command line would exit. */
  readonly exitCode: number;
  readonly tasks: readonly TaskRecord[];
  readonly trials: Rows<TrialRecord>;
  readonly scores: Rows<ScoreRecord>;
  readonly summary: Summary;
  readonly metadata: RunMetadata;
  readonly workDir: string;
  /** SHA-256 of provenance.json: `sha256:<hex>`. */
  readonly bundleDigest: string;
  /** Copies the bundle to `dir`, or keeps it where it is; returns the directory. */
  persist(dir?: string): Promise<string>;
  /** One document in the wire form: identity, status, metadata and summary, without the rows. */
  toJSON(): JsonObject;
  toRecords(view: RecordView): Promise<FlatRecord[]>;
  formatSummary(options?: FormatSummaryOptions): Promise<string>;
}
