import type { JsonObject, JsonValue } from "../support/json.ts";
import type { Clock, Logger } from "./clock.ts";
import type { Evidence } from "./evidence.ts";
import type { FileStore } from "./files.ts";
import type { SandboxCapability } from "./sandbox.ts";

export type MetricOutputKind = "continuous" | "discrete" | "boolean" | "label" | "model";

/** What a metric reads of a trial; a trial that did not end well may lack it. */
export type MetricNeed = "text" | "response" | "reward" | "evidence";

export interface MetricOutputSpec {
  readonly name: string;
  readonly kind: MetricOutputKind;
  readonly description: string | null;
  /** Value on a partial trial whose needed input is absent: 0 or false by default, or "unscored" where the author chose so. */
  readonly absent: number | boolean | string | "unscored";
  /** For kind `model`: name of the schema, and a check that throws for a wrong value. */
  readonly model?: { readonly name: string; parse(value: unknown): JsonValue };
}

/** The task and trial as a metric sees them. */
export interface MetricInput {
  readonly row: MetricRow;
  readonly candidate: Candidate;
}

export interface MetricRow {
  readonly rowIndex: number;
  readonly task: { readonly id: string; readonly intent: string; readonly metadata: JsonObject };
  readonly inputs: JsonObject;
  readonly reference: JsonObject;
  readonly trial: {
    readonly id: string;
    readonly taskId: string;
    readonly status: "completed" | "partial";
    readonly error: JsonObject | null;
    readonly metadata: JsonObject;
  };
}

export interface Candidate {
  readonly outputText: string | null;
  readonly response: JsonValue | null;
  /** Trial metadata overlaid by output metadata. Present for every trial, with or without an output. */
  readonly metadata: JsonObject;
  readonly evidence: Evidence;
}

export interface MetricContext {
  /** Aborted at the metric's time limit and when the run is cancelled. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly clock: Clock;
  /** Folder of the suite: relative paths in a metric's configuration start here. */
  readonly baseDir: string;
  /** For reading held-out files of the suite. */
  readonly files: FileStore;
  /** Stop what you make; what is forgotten is stopped at the end of the run. */
  readonly sandboxes: SandboxCapability;
  /** Text without the secrets of the run. Whoever cuts a text does this first: half a secret is one still. */
  redact(text: string): string;
}

/** A task before there is a trial of it. */
export type MetricTask = Pick<MetricRow, "task" | "inputs" | "reference">;

/** What `preflight` may use. */
export type PreflightContext = Pick<MetricContext, "baseDir" | "files" | "sandboxes">;

export interface MetricDiagnostic {
  readonly message: string;
  readonly severity?: "warning" | "info";
  readonly details?: JsonObject;
}

export interface MetricResult {
  /** Every declared output once. `null` says: not scored, see the diagnostics. */
  readonly outputs: Readonly<Record<string, JsonValue>>;
  readonly diagnostics?: readonly MetricDiagnostic[];
}

/** The model that a metric asks. */
export interface MetricJudge {
  readonly model: string;
  /** How it is asked: endpoint, sampling, prompt. No secrets. */
  readonly config: JsonObject;
}

export interface Metric {
  readonly type: string;
  readonly version: string | null;
  /** All settings that shape its scores, snake_case; digested. */
  readonly config: JsonObject;
  readonly outputs: readonly MetricOutputSpec[];
  readonly needs: readonly MetricNeed[];
  /** Absent: it asks no model. */
  readonly judge?: MetricJudge;
  /** Milliseconds for one trial, from when `compute` first waits; default of the engine when absent. */
  readonly timeoutMs?: number;
  /** Further tries after a throw. Default 0. */
  readonly retries?: number;
  /** Once, before the first trial: throws when the metric cannot work here. */
  preflight?(context: PreflightContext): Promise<void>;
  /** Before the first trial: throws when the task lacks what the metric needs of it. */
  checkTask?(task: MetricTask): void;
  /**
   * Digest of what the metric reads for one task besides its settings, such as held-out files; null when that is
   * nothing, or not known before there is a trial. Before the first trial; throws when it is not there.
   */
  contentDigest?(task: MetricTask, context: PreflightContext): Promise<string | null>;
  compute(input: MetricInput, context: MetricContext): Promise<MetricResult>;
}

/**
 * A scorer of the shape that autoevals and friends use; accepted as a metric unchanged.
 * Declared as a method, so that a scorer may ask for narrower arguments than these.
 */
export type ScorerFunction = {
  scorer(args: ScorerArgs): ScorerResult | Promise<ScorerResult>;
}["scorer"];

export interface ScorerArgs {
  /** The task's instruction, or all of its inputs when it has none. */
  readonly input?: unknown;
  /** What the agent said last. A trial without it gives the absent value, and the scorer is not called. */
  readonly output: string;
  /** `reference.answer`, else `reference.expected`, else the whole reference. */
  readonly expected?: unknown;
  /** The task's metadata overlaid by the trial's. */
  readonly metadata?: JsonObject;
}

export interface ScorerResult {
  readonly name: string;
  /** Null says: not scored. */
  readonly score: number | null;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** What may stand in a list of metrics. */
export type MetricLike = Metric | ScorerFunction;
