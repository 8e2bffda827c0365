import type { EvidenceDescriptorInput } from "../../schema/evidence.ts";
import type { Measurements, TrialErrorType } from "../../schema/trial.ts";
import type { JsonObject, JsonValue } from "../../support/json.ts";

export interface OutputDraft {
  readonly outputText?: string | null;
  readonly response?: JsonValue | null;
  readonly metadata?: JsonObject;
}

/** What one attempt gave. With `error` the agent ran but did not end well: the trial is partial and scored all the same. */
export interface TrialDraft {
  readonly output: OutputDraft | string | null;
  readonly error?: AgentErrorDraft;
  readonly evidence?: Readonly<Record<string, EvidenceDescriptorInput>>;
  readonly metadata?: JsonObject;
  readonly measurements?: Partial<Measurements>;
  /** Model names for the ledger, where the tool said them. */
  readonly models?: { readonly requested?: string | null; readonly served?: string | null };
}

export interface AgentErrorDraft {
  readonly type: TrialErrorType;
  readonly message: string;
  readonly traceback?: string | null;
}

/**
 * The trial cannot be produced, and another attempt would not help: a bad seed, no instruction, a wrong return shape.
 * The trial becomes `failed`.
 */
export class TrialFailure extends Error {
  override readonly name = "TrialFailure";
  readonly type: TrialErrorType;
  readonly metadata: JsonObject;

  constructor(type: TrialErrorType, message: string, options: { readonly cause?: unknown; readonly metadata?: JsonObject } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.type = type;
    this.metadata = options.metadata ?? {};
  }
}
