import type { MetricLike } from "../../contracts/metric.ts";
import type { AgentTaskRunner } from "../../contracts/runner.ts";
import type { Target } from "../../contracts/target.ts";
import type { InstructionInputs, Task } from "../../contracts/task.ts";
import type { SemanticView } from "../../schema/task.ts";
import type { TrialRecordInput } from "../../schema/trial.ts";
import type { JsonObject } from "../../support/json.ts";
import type { ImportedTrials } from "../imported-trials.ts";
import type { Lineage } from "../lineage.ts";

/** A task as users write it. */
export interface TaskDefinition<I = InstructionInputs> {
  /** Unique in the suite. */
  readonly id: string;
  /** The wanted behaviour, for graders; it never reaches the agent. */
  readonly intent: string;
  /** What the agent gets: `instruction`, `files` that are laid into its workspace, and keys of yours. */
  readonly inputs: I;
  /** Ground truth, for graders only: `item.reference` in the templates of metrics. */
  readonly reference?: JsonObject;
  /** Metrics of this task alone. A metric of the suite with the same type is not added. */
  readonly metrics?: readonly MetricLike[];
  /** Named reductions of several outputs to one value. */
  readonly views?: Readonly<Record<string, ViewDefinition>>;
  /** Facts about the task; they never reach the agent. */
  readonly metadata?: JsonObject;
}

/** One value out of several outputs of a trial. */
export interface ViewDefinition {
  /** `single` takes the only signal; `all` and `any` take booleans; `mean` and `weighted_mean` numbers. */
  readonly reducer: SemanticView["reducer"];
  /** The outputs that are reduced. */
  readonly signals: readonly {
    /** Type of a metric of the task. */
    readonly metric: string;
    /** Name of one of its outputs. */
    readonly output: string;
    /** For `weighted_mean`. */
    readonly weight?: number | null;
  }[];
}

/** Rows in a JSONL file, one (snake_case) per line; relative to the suite. */
export interface RowFile {
  /** Path of the file. */
  readonly jsonl: string;
}

/** Tasks in a JSONL file. */
export interface TaskFile extends RowFile {
  /** How its rows are written: as tasks of Assay, the default, or as rows of a NeMo Gym dataset. */
  readonly format?: "assay" | "gym";
}

/** Tasks of a dataset that is a folder with a folder for each; relative to the suite. */
export interface TaskFolder {
  /** Path of the folder. */
  readonly directory: string;
  /** Whose dataset it is. */
  readonly format: "harbor";
  /** Names of the folders of the tasks that are wanted. Default: all. */
  readonly taskNames?: readonly string[];
}

export type TaskSource<I> =
  | Iterable<TaskDefinition<I>>
  | AsyncIterable<TaskDefinition<I>>
  | TaskFile
  | TaskFolder;

/** An environment variable that holds a secret. */
export interface SecretDefinition {
  /** Name of the variable. */
  readonly name: string;
  /** Accept a value under 8 bytes. */
  readonly allowShort?: boolean;
}

/** What a suite module exports as default. */
export interface SuiteDefinition<I = InstructionInputs> {
  /** Name of the suite, in the bundle and in reports. */
  readonly name: string;
  /** An array, an iterable, an async iterable, a JSONL file, or the folder of a dataset. */
  readonly tasks: TaskSource<I>;
  /** Added to every task that declares none of that type. */
  readonly metrics?: readonly MetricLike[];
  /** What is evaluated: a runner of `assay/runners`, or one of yours. Leave it out where trials are imported. */
  readonly target?: Target<NoInfer<I>>;
  /** Trials to score instead of a target: rows, a JSONL file of `trials.jsonl` form, or a bundle: its directory. */
  readonly importedTrials?: readonly TrialRecordInput[] | RowFile;
  /** Trials per task, at most 1,000,000. Default 1. */
  readonly trials?: number;
  /** Trials at once. Default 4. */
  readonly concurrency?: number;
  /** Metrics at once. Default: as `concurrency`. */
  readonly scoringConcurrency?: number;
  /** Stop at the first metric that fails. Default false. */
  readonly failFast?: boolean;
  /** Tags of the run, text by name. They enter no digest. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Names of environment variables whose values are secret and needed. */
  readonly secrets?: readonly (string | SecretDefinition)[];
}

/** A suite may be a function of parameters (`-P key=value`). */
export type SuiteFactory<I = InstructionInputs> = (
  parameters: Readonly<Record<string, string>>,
) => SuiteDefinition<I> | Promise<SuiteDefinition<I>>;

/** Where imported trials come from. */
export interface ImportSource {
  /** The file or the bundle that the suite names, relative to it; null for one that it does not name. */
  readonly source: string | null;
  /** How they were read: the format, and what of it had no place. Enters no digest. */
  readonly reading?: JsonObject;
  /** What tells the trials from others: `sha256` of their file or rows, or `run_id` and `bundle_digest` of their run. */
  readonly identity: JsonObject;
  /** The runs that they come from. */
  readonly lineage: Lineage;
}

/** A suite after loading: everything validated that can be without the target. */
export interface Suite {
  readonly name: string;
  /** Base name of the file, without `.eval.ts` and the like; functions are recorded as `<baseName>#<name>`. */
  readonly baseName: string;
  /** Relative paths of the suite start here. */
  readonly baseDir: string;
  readonly tasks: readonly Task[];
  /** The file or folder that they were read from, as the suite names it; null when they stand in the suite. */
  readonly tasksFrom: string | null;
  /** What people should know of its tasks. */
  readonly notices?: readonly string[];
  readonly target: AgentTaskRunner | null;
  readonly importedTrials: ImportedTrials | null;
  /** Where they come from; null without any. */
  readonly importedFrom: ImportSource | null;
  readonly trialsPerTask: number;
  readonly concurrency: number;
  readonly scoringConcurrency: number;
  readonly failFast: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly secrets: readonly SecretDefinition[];
  readonly parameters: Readonly<Record<string, string>>;
  /** The suite file and each local module it loaded; null when the suite was built by a program. */
  readonly code: SuiteCode | null;
}

export interface SuiteCode {
  /** Absolute path of the suite's file. */
  readonly entry: string;
  /** Digest over the sorted relative paths and bytes. */
  readonly digest: string;
  /** What was loaded, or was sure to be, before anything ran. */
  readonly files: readonly SuiteCodeFile[];
  /** What was first loaded since then. */
  later(): LaterCode;
  /** Where in the suite's own files an error was thrown, as `checkout.eval.ts:12:9`; null when it was elsewhere. */
  placeOf(thrown: unknown): string | null;
  /** The bytes of `files`, by path. */
  contents(): ReadonlyMap<string, Uint8Array>;
  /** Takes what another process of the run loaded since then. */
  noteLater(code: LaterCode): void;
}

export interface SuiteCodeFile {
  /** Relative to the suite's folder, with forward slashes. */
  readonly path: string;
  readonly sha256: string;
}

export interface LaterCode {
  readonly files: readonly SuiteCodeFile[];
  /** Paths of CommonJS modules whose own `import(...)` this version of Node does not show. */
  readonly blind: readonly string[];
}
