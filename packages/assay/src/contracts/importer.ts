import type { RunnerInfo } from "../schema/run-metadata.ts";
import type { Aggregate } from "../schema/summary.ts";
import type { JsonObject } from "../support/json.ts";
import type { MetricLike } from "./metric.ts";
import type { RunContext, Trial } from "./runner.ts";

/** Reads results of another tool, so that they become a bundle of imported trials. */
export interface Importer {
  /** As it is given to `assay import`. */
  readonly format: string;
  /**
   * Looks through the results once: what there is, and what of it has no place in a bundle. Nothing is written. Throws
   * `ASSAY_RESULTS_INVALID` for what is not of this format, with the file, the line and the value.
   */
  open(path: string, context: ImportContext): Promise<ImportedResults>;
}

export type ImportContext = Pick<RunContext, "files" | "signal" | "log">;

/** Results that were looked through. */
export interface ImportedResults {
  /** What the results are of, as their tool calls it: a job, a file of rollouts. */
  readonly name: string;
  /** What made them, as far as they say; `config` holds what of its settings is known. */
  readonly producer: RunnerInfo;
  /** What tells these results from others: digests of files, ids. Enters the settings digest. */
  readonly identity: JsonObject;
  readonly tasks: readonly ImportedTask[];
  /** Read what these results hold of scores, where nobody names other metrics. */
  readonly metrics: readonly MetricLike[];
  /** Evidence is taken from below these directories, and from below the run's scratch. */
  readonly evidenceDirs: readonly string[];
  /** Figures of the tool's own over the whole; names begin `runner.<producer>.`. */
  readonly aggregates: readonly Aggregate[];
  readonly losses: readonly ImportLoss[];
  /** Every trial, in any order; `trialIndex` counts within its task from 0. May be read once. */
  trials(context: Pick<RunContext, "files" | "signal" | "log" | "scratch">): AsyncIterable<Trial>;
}

/** A task as far as the results tell. */
export interface ImportedTask {
  readonly id: string;
  /** The wanted behaviour; where the results do not tell it, that they do not. */
  readonly intent: string;
  readonly inputs: JsonObject;
  readonly reference?: JsonObject;
  readonly metadata?: JsonObject;
  readonly trialCount: number;
}

/** Something that the results hold and a bundle has no place for. */
export interface ImportLoss {
  /** Where it stands in the results: `result.json: agent_info.model_info.cost_limit`. */
  readonly field: string;
  readonly reason: string;
  /** In how many trials, rows or files. */
  readonly count: number;
}
