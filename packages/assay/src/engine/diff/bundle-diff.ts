import type { JsonObject } from "../../support/json.ts";
import type { DiffSide } from "./diff-side.ts";
import type { Difference } from "./differences.ts";
import type { OutputDiff } from "./score-diff.ts";
import type { ScoringDiff } from "./scoring-diff.ts";
import type { SettingsDiff } from "./settings-diff.ts";
import type { TaskSetDiff } from "./task-set-diff.ts";

/** One of the two bundles that are compared. */
export interface ComparedBundle extends Omit<DiffSide, "facts" | "plan" | "evaluated"> {
  /** Whether anything is recorded of what made it; without that only labels and settings are. */
  readonly hasProvenance: boolean;
  readonly taskCount: number;
  readonly trialCount: number;
  /** What it lacks for being of an older generation of the format, a sentence each. */
  readonly gaps: readonly string[];
}

/** An aggregate of all tasks of each bundle, whether or not the other one has them. */
export interface AggregateChange {
  readonly name: string;
  /** The mean, or the figure of a backend; null where a bundle has none. */
  readonly a: number | null;
  readonly b: number | null;
}

/** What differs between two bundles: how they were made, first, and then what came of it. */
export interface BundleDiff {
  readonly a: ComparedBundle;
  readonly b: ComparedBundle;
  readonly settings: SettingsDiff;
  /**
   * What the settings turned out to mean: tools, code, images, lockfile, commit, host, labels. Names are dotted. Labels
   * alone where not both have provenance.
   */
  readonly facts: readonly Difference[];
  readonly tasks: TaskSetDiff;
  readonly scoring: ScoringDiff;
  /** Outputs that both have, by name, over the tasks that both have. */
  readonly scores: readonly OutputDiff[];
  /** Those that differ, by name. */
  readonly aggregates: readonly AggregateChange[];
  /** Tokens, cost, attempts; none where not both have provenance. */
  readonly spending: readonly Difference[];
  /** One document in the wire form. */
  toJSON(): JsonObject;
}
