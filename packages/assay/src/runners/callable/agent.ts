import type { Logger } from "../../contracts/clock.ts";
import type { AgentTask } from "../../contracts/task.ts";
import type { EvidenceDescriptorInput } from "../../schema/evidence.ts";
import type { Measurements } from "../../schema/trial.ts";
import type { JsonObject } from "../../support/json.ts";
import type { OutputDraft } from "../define/draft.ts";
import type { StepDraft } from "../define/trajectory.ts";
import type { UsageDraft } from "../define/usage.ts";

/** What an agent function may use. A copy by `...` lacks `signal` and `workspace`, which are made when they are read. */
export interface CallableContext {
  /** Aborted at the time limit and when the run is cancelled. */
  readonly signal: AbortSignal;
  /** Path of a private folder, seeded with the task's `files`; what is left in it is evidence `final_state`. Made when first read. */
  readonly workspace: string;
  readonly log: Logger;
  readonly evidence: { add(name: string, descriptor: EvidenceDescriptorInput): void };
  /** Adds tokens and cost; call it once per model call. */
  readonly usage: { add(usage: UsageDraft): void };
  /** Records a step of the trajectory; steps survive a time limit. */
  step(step: StepDraft): void;
  readonly trialIndex: number;
  readonly attemptIndex: number;
  /** Values of the suite's declared secrets. */
  readonly secrets: Readonly<Record<string, string>>;
}

/** A whole trial's draft: output, evidence, metadata, measurements. */
export interface CallableDraft {
  readonly output: OutputDraft | string | null;
  readonly evidence?: Readonly<Record<string, EvidenceDescriptorInput>>;
  readonly metadata?: JsonObject;
  readonly measurements?: Partial<Measurements>;
  /** The model that was asked for, and the one that answered by its own word. */
  readonly models?: { readonly requested?: string | null; readonly served?: string | null };
}

/** Text, an output (`{ outputText?, response?, metadata? }`), or a draft (`{ output, ... }`). */
export type CallableReply = string | OutputDraft | CallableDraft;

export type CallableAgent<I> = (
  task: AgentTask<I>,
  context: CallableContext,
) => Promise<CallableReply> | CallableReply;
