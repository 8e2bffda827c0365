import type { Logger } from "../contracts/clock.ts";
import type { Metric } from "../contracts/metric.ts";
import type { ProcessCapability } from "../contracts/process.ts";
import type { Redactor } from "../contracts/redactor.ts";
import type { ToolFacts, TrialPlan } from "../contracts/runner.ts";
import type { SandboxCapability } from "../contracts/sandbox.ts";
import type { EnvironmentRecord } from "../schema/environment.ts";
import type { PlanRecord } from "../schema/plan.ts";
import type { RunnerInfo } from "../schema/run-metadata.ts";
import type { TaskRecord } from "../schema/task.ts";
import type { JsonObject } from "../support/json.ts";
import type { Channel } from "./channel.ts";
import type { BoundTarget } from "./plan/bind-target.ts";
import type { Platform } from "./platform.ts";
import type { Suite } from "./suite/suite.ts";

/** Everything that is fixed before the first trial: validated, probed, digested. */
export interface PreparedRun {
  readonly runId: string;
  /** Of this start of the run. */
  readonly invocationId: string;
  readonly suite: Suite;
  readonly target: BoundTarget;
  /** The identity as stored: `runnerInfo()` with the version from the probe. */
  readonly info: RunnerInfo;
  readonly tool: ToolFacts | null;
  readonly plan: TrialPlan;
  /** Rows of `tasks.jsonl`, redacted, in plan order. */
  readonly tasks: readonly TaskRecord[];
  /** Metrics of each task, in plan order. */
  readonly metrics: readonly (readonly Metric[])[];
  /** Each metric in use once. */
  readonly metricFacts: readonly MetricFacts[];
  readonly record: PlanRecord;
  readonly digests: RunDigests;
  /** What the run has been started with and on, as it was before the first trial. */
  readonly environment: EnvironmentRecord;
  readonly concurrency: number;
  readonly scoringConcurrency: number;
  readonly failFast: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly secrets: Readonly<Record<string, string>>;
  readonly redactor: Redactor;
  /** Marks every child process of the run. */
  readonly token: string;
  readonly scratch: string;
  readonly platform: Platform;
  readonly process: ProcessCapability;
  readonly sandboxes: SandboxCapability;
  readonly log: Logger;
  readonly emit: Channel["emit"];
  readonly reportOf: Channel["reportOf"];
}

export interface MetricFacts {
  readonly type: string;
  readonly version: string | null;
  readonly digest: string;
  /** Redacted. */
  readonly config: JsonObject;
  readonly judge: { readonly model: string; readonly digest: string } | null;
  /** Tasks that have it. */
  readonly taskCount: number;
}

export interface RunDigests {
  readonly settings: string;
  readonly resolved: string;
  readonly plan: string;
  readonly tasks: string;
  /** Of the suite's modules, parameters and lockfile; null when a program built the suite. */
  readonly code: string | null;
  /** Of the bytes that tasks and metrics refer to; null without any. */
  readonly content: string | null;
}
