import type { Clock, Logger } from "../../contracts/clock.ts";
import type { FileStore } from "../../contracts/files.ts";
import type { ProcessCapability } from "../../contracts/process.ts";
import type { SuiteProcess, ToolFacts } from "../../contracts/runner.ts";
import type { SandboxCapability } from "../../contracts/sandbox.ts";
import type { EvidenceDescriptorInput } from "../../schema/evidence.ts";
import type { StepDraft } from "./trajectory.ts";
import type { UsageDraft } from "./usage.ts";

/** What `run` of a defined runner may use for one attempt. */
export interface AttemptContext<Options> {
  readonly options: Options;
  readonly tool: ToolFacts | null;
  readonly trialIndex: number;
  readonly attemptIndex: number;
  /** Folder of the suite: relative paths in options start here. */
  readonly baseDir: string;
  /** Aborted at the time limit and when the run is cancelled. */
  readonly signal: AbortSignal;
  readonly graceMs: number;
  readonly log: Logger;
  /** The private scratch directory of this attempt. */
  directory(): Promise<string>;
  /** A private folder, seeded with the task's files; the same one at each call. It becomes the evidence `final_state`. */
  workspace(): Promise<Workspace>;
  /** The same folder at once, for a task without seeds. */
  workspaceSync(): string;
  readonly evidence: { add(name: string, descriptor: EvidenceDescriptorInput): void };
  readonly usage: { add(usage: UsageDraft): void };
  /** Records a step of the trajectory; steps survive a time limit. */
  step(step: StepDraft): void;
  /** Names the phase that begins now; its time goes to the ledger. */
  phase(name: string): void;
  readonly secrets: Readonly<Record<string, string>>;
  /** Text without the secrets of the run. Whoever cuts a text does this first: half a secret is one still. */
  redact(text: string): string;
  readonly process: ProcessCapability;
  /** Stop what you make; what is forgotten is stopped at the end of the run. */
  readonly sandboxes: SandboxCapability;
  readonly files: FileStore;
  readonly clock: Clock;
  /** How the suite's code is run in another process; null when no file says where that code is. */
  readonly suiteProcess: SuiteProcess | null;
}

export interface Workspace {
  readonly path: string;
  /** Relative paths of the seeds, in the order of the task. */
  readonly seededFiles: readonly string[];
}
