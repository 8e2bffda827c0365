import type { Attempt } from "../schema/attempt.ts";
import type { EvidenceSet } from "../schema/evidence.ts";
import type { Fact } from "../schema/fact.ts";
import type { RunnerInfo } from "../schema/run-metadata.ts";
import type { Aggregate } from "../schema/summary.ts";
import type { TrialRecord } from "../schema/trial.ts";
import type { JsonObject, JsonValue } from "../support/json.ts";
import type { OptionOrigin, OptionRole } from "../support/options.ts";
import type { Clock, Logger, Random } from "./clock.ts";
import type { FileStore } from "./files.ts";
import type { ProcessCapability } from "./process.ts";
import type { SandboxCapability } from "./sandbox.ts";
import type { Task } from "./task.ts";

export const runnerContractVersion = 1;

/** The methods of a runner by name, for whoever is handed an object that says it is one. */
export const requiredRunnerMethods = ["runnerInfo", "runTasks"] as const;
export const optionalRunnerMethods = [
  "probe",
  "runAggregateScores",
  "dispose",
  "configure",
  "effectiveOptions",
  "targetFacts",
  "checkTask",
  "contentDigest",
  "checkPlan",
  "serveAttempt",
] as const;

/** One task with the repetitions that are still to produce. */
export interface PlannedTask {
  readonly task: Task;
  /** Position of the task in the run. */
  readonly taskIndex: number;
  readonly trialIndexes: readonly number[];
}

/** Exactly the trials to produce. */
export interface TrialPlan {
  readonly tasks: readonly PlannedTask[];
  readonly trialsPerTask: number;
  readonly trialCount: number;
  /** An earlier start of the run has produced others. Absent: these are all. */
  readonly isRest?: boolean;
}

/** A trial as a runner yields it. Evidence refs are absolute paths below `context.scratch`, or URIs. */
export interface Trial extends TrialRecord {
  readonly trialIndex: number;
  /** Every try, in order; the last one gave this trial. One is made up from the trial when absent. */
  readonly attempts?: readonly TrialAttempt[];
  /** A directory below `context.scratch` that is removed once the evidence has been imported. */
  readonly scratchDirectory?: string;
}

/** One try. What an earlier one left behind is kept beside the evidence that counts. */
export interface TrialAttempt extends Attempt {
  readonly evidence?: EvidenceSet | null;
}

/** Attempts at a planned trial that ended without it. */
export interface LostAttempts {
  readonly trialId: string;
  readonly taskId: string;
  readonly trialIndex: number;
  readonly attempts: readonly Attempt[];
}

export interface RunContext {
  readonly runId: string;
  /** A private directory (0700) outside the run directory; agents and tools write only below it. Removed after the run. */
  readonly scratch: string;
  /** The folder of the suite: relative paths in options start here. */
  readonly baseDir: string;
  /** Aborted when the run is cancelled: end what is in flight. */
  readonly signal: AbortSignal;
  /** Aborted when no further trial is to begin, for a limit is reached; trials in flight go on. With `signal` at the latest. */
  readonly closing: AbortSignal;
  readonly concurrency: number;
  readonly limits: RunLimits;
  readonly log: Logger;
  /** Declared secrets by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Text without the secrets of the run. Whoever cuts a text does this first: half a secret is one still. */
  redact(text: string): string;
  readonly process: ProcessCapability;
  readonly sandboxes: SandboxCapability;
  readonly files: FileStore;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of each attempt as it ends, before another trial begins: limits on spending are kept by it. */
  readonly onAttemptEnd?: (attempt: Attempt) => void;
  /** Told of attempts at a trial that is not produced, for the run was cancelled: what they cost counts. */
  readonly onLostAttempts?: (lost: LostAttempts) => void;
  /** How the suite's code is run in another process; absent when no file says where that code is. */
  readonly suiteProcess?: SuiteProcess;
}

/**
 * A program that loads the suite once more and calls `serveAttempt` of its target: told how on stdin, it answers in lines
 * on file descriptor 3.
 */
export interface SuiteProcess {
  command(nodeOptions: readonly string[]): readonly [string, ...string[]];
  /** Text for its stdin; `order` is what `serveAttempt` gets. */
  instructions(order: JsonObject): string;
  /** A line of its, `maxLineBytes` long at most; null when it concerns the engine alone. Throws for what it cannot have written. */
  read(line: string): SuiteProcessMessage | null;
  readonly maxLineBytes: number;
}

export type SuiteProcessMessage =
  | { readonly kind: "told"; readonly message: unknown }
  /** `serveAttempt` was not called: the suite could not be loaded, or is not the one that is recorded. */
  | { readonly kind: "refused"; readonly reason: string };

/** What `serveAttempt` has of its process. */
export interface AttemptChannel {
  /** Hands a message over before it returns, whatever becomes of the process then. Throws for what is no JSON data or too large. */
  send(message: Readonly<Record<string, unknown>>): void;
  /** The attempt is told to end. */
  onStop(listener: () => void): void;
  /** Something was thrown that no code awaits. */
  onStrayError(listener: (thrown: unknown) => void): void;
  /** Nothing is left to wait for. */
  onIdle(listener: () => void): void;
}

export interface RunLimits {
  /** Attempts of one trial in all, first one included, when the infrastructure fails. */
  readonly attemptsPerTrial: number;
  /** Milliseconds an aborted trial has to end by itself. */
  readonly graceMs: number;
  /** Bytes of one evidence file that are kept. */
  readonly evidenceFileBytes: number;
}

/** What a probe found. Everything that has content enters the resolved digest. */
export interface ToolFacts {
  readonly version: string | null;
  /** Facts that shape results: file digests, image digests, skill digests. */
  readonly resolved: JsonObject;
  /** Facts for people only: where a program was found. */
  readonly observed?: JsonObject;
  /** Credentials in files that the tool uses (its login), by any name: removed like declared secrets, stored nowhere. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/** What `probe` may use. */
export type ProbeContext = Pick<
  RunContext,
  | "baseDir"
  | "process"
  | "sandboxes"
  | "files"
  | "signal"
  | "log"
  | "secrets"
  | "scratch"
  | "suiteProcess"
> & {
  /** How often the target is to do each task; absent where nothing is to be run. */
  readonly trialsPerTask?: number;
};

/** Everything about the options that took effect. */
export interface EffectiveOptions {
  /** As recorded in `RunnerInfo.config`: every option, snake_case; credentials by name only. */
  readonly config: JsonObject;
  /** The part that shapes results: what `settings_digest` is made from. */
  readonly shaping: JsonObject;
  readonly origins: Readonly<Record<string, OptionOrigin>>;
  readonly roles: Readonly<Record<string, OptionRole>>;
}

/** What the options amount to: each a value, or why there is none. Synchronous and pure, as `runnerInfo`. */
export interface TargetFacts {
  /** The model that is asked for, wherever among the options it was named. */
  readonly model: Fact<{ readonly name: string; readonly setBy: OptionPlace }>;
  /** What makes the prompts. */
  readonly prompt: Fact<PromptFacts>;
  readonly sandbox: SandboxFacts;
}

/** Snake_case path of an option, or of a part of it. */
export type OptionPlace = readonly [string, ...string[]];

export interface PromptFacts {
  /** A text or a function among the options. */
  readonly setBy: OptionPlace;
  /** It is a function of the suite: what it does is in the suite's code. */
  readonly isSuiteCode: boolean;
}

export interface SandboxFacts {
  /** What keeps the agent from the machine that Assay runs on. */
  readonly isolation: Fact<"none" | "os_sandbox" | "container">;
  /** What enforces that. */
  readonly provider: Fact<string>;
  /** The image that was asked for. */
  readonly image: Fact<string>;
  /** Its content, where that is known before the first trial. */
  readonly imageDigest: Fact<string>;
  /** Limits of time, memory and the like; names with units. */
  readonly limits: Fact<JsonObject>;
  /** Which network the agent's commands reach: `none`, `unrestricted`, or the name of a policy. */
  readonly network: Fact<string>;
}

/** What the place that starts a run adds to a runner's options. */
export interface RunnerBinding {
  /** Base name of the suite file; functions are recorded as `<suite>#<name>`. */
  readonly suiteName: string;
  readonly baseDir: string;
  /** Values by snake_case option path, later ones win; each with its origin. */
  readonly overrides: readonly OptionOverride[];
}

export interface OptionOverride {
  /** Snake_case path below the target, e.g. `["model"]`. */
  readonly path: readonly string[];
  /** A JSON value, or the raw text of a flag, which the option's schema then types. */
  readonly value: JsonValue;
  readonly isText: boolean;
  readonly origin: OptionOrigin;
}

/** Executes tasks and yields trials. Identity is not optional. */
export interface AgentTaskRunner {
  readonly contractVersion: typeof runnerContractVersion;
  /** Who this is and with what settings; synchronous, free of side effects, the same bytes for the same options. */
  runnerInfo(): RunnerInfo;
  /** Yields each trial as it ends. Only planned trials, each once. After `signal` aborts: yield what is finished and return. */
  runTasks(plan: TrialPlan, context: RunContext): AsyncIterable<Trial>;
  /** Versions and digests of what will be used; before the first trial. Throws `environment` errors. */
  probe?(context: ProbeContext): Promise<ToolFacts>;
  /** Figures over the whole run; names begin `runner.<name>.`. Called once, after `runTasks`. */
  runAggregateScores?(): readonly Aggregate[];
  /** May be called twice. */
  dispose?(): Promise<void>;
  /** The same runner bound to a suite, with option overrides applied. */
  configure?(binding: RunnerBinding): AgentTaskRunner;
  /** The options that took effect, by role; absent means: all of `runnerInfo().config` shapes results. */
  effectiveOptions?(): EffectiveOptions;
  /** What the options amount to, for provenance; absent means: the runner does not say. */
  targetFacts?(): TargetFacts;
  /** Whole-task checks before anything is spent; throws `user` errors. */
  checkTask?(task: Task, context: Pick<RunContext, "baseDir" | "files">): Promise<void>;
  /**
   * Digest of what a task refers to besides its seeds, such as a folder; null for nothing. After `checkTask`, before the
   * first trial; it enters the resolved digest.
   */
  contentDigest?(
    task: Task,
    context: Pick<RunContext, "baseDir" | "files">,
  ): Promise<string | null>;
  /** Whether so many trials of each task agree with the options; before anything is spent; throws `user` errors. */
  checkPlan?(plan: Pick<TrialPlan, "trialsPerTask">): void;
  /** In a process of its own (`context.suiteProcess`): makes one attempt, tells of it on the channel, and returns when it is over. */
  serveAttempt?(order: unknown, channel: AttemptChannel): Promise<void>;
}
