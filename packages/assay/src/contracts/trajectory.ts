import type { JsonObject, JsonValue } from "../support/json.ts";

export type TrajectoryFormat = "atif" | "otlp";

/**
 * What an agent did, step by step, in whichever format it was recorded. Frozen all the way down. What a format or a
 * producer does not say is null, or an empty list, and `gaps` says why.
 */
export interface Trajectory {
  /** The format it was read from. */
  readonly format: TrajectoryFormat;
  /** As the document says it (`ATIF-v1.7`); null for OTLP. */
  readonly schemaVersion: string | null;
  readonly sessionId: string | null;
  readonly trajectoryId: string | null;
  readonly agent: TrajectoryAgent;
  /** In the order in which they happened. */
  readonly steps: readonly TrajectoryStep[];
  /** Those of all steps, in order. */
  readonly toolCalls: readonly TrajectoryToolCall[];
  /** What the agent said last; null when that is blank. */
  readonly finalMessage: string | null;
  readonly usage: TrajectoryUsage;
  readonly gaps: readonly TrajectoryGap[];
  /**
   * Every text that a search for what the agent met has to look at: of ATIF messages, reasoning, names of tools, and all
   * keys and strings in arguments and observations; of OTLP all strings in attributes of spans and their events.
   */
  texts(): Iterable<string>;
}

export interface TrajectoryAgent {
  readonly name: string | null;
  readonly version: string | null;
  readonly modelName: string | null;
}

export interface TrajectoryStep {
  /** As the producer numbered it, else its position from 1 on. */
  readonly stepId: number;
  /** ISO 8601, as the producer wrote it. */
  readonly timestamp: string | null;
  readonly source: "system" | "user" | "agent";
  /** Its text; parts that are no text are left out. */
  readonly message: string;
  readonly reasoning: string | null;
  readonly modelName: string | null;
  readonly toolCalls: readonly TrajectoryToolCall[];
  readonly observations: readonly TrajectoryObservation[];
  readonly usage: TrajectoryUsage | null;
  /** It happened before this trajectory and was copied into it. */
  readonly isCopiedContext: boolean;
}

export interface TrajectoryToolCall {
  readonly id: string | null;
  readonly name: string;
  /** Null when none were recorded, or when they are no object. */
  readonly arguments: JsonObject | null;
}

export interface TrajectoryObservation {
  /** The call that it answers: of the same step, or of an earlier one. */
  readonly callId: string | null;
  readonly content: JsonValue;
}

/** Null is unknown, which is not 0. */
export interface TrajectoryUsage {
  /** Cached ones included. */
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly cachedTokens: number | null;
  readonly costUsd: number | null;
}

/**
 * `not_in_format`: the format has no place for it. `not_recorded`: it has one, and the producer left it out.
 * `not_usable`: what stands there is of another kind. `left_out`: the producer or the reader says that it dropped some.
 * `elsewhere`: it is in another document.
 */
export type TrajectoryGapReason =
  | "not_in_format"
  | "not_recorded"
  | "not_usable"
  | "left_out"
  | "elsewhere";

export interface TrajectoryGap {
  /** A path of `Trajectory`, as in `usage.promptTokens`. */
  readonly field: string;
  readonly reason: TrajectoryGapReason;
  /** For people. */
  readonly detail: string;
}
