import { z } from "zod";

import { messageOf } from "../../errors/assay-error.ts";
import { parseCopy } from "../../schema/codec.ts";
import { type EvidenceDescriptorInput, evidenceDescriptorSchema } from "../../schema/evidence.ts";
import { dataMap, jsonObject } from "../../schema/free-form.ts";
import {
  agentOutputSchema,
  type Measurements,
  measurementsSchema,
  type TrialErrorType,
  trialErrorTypes,
} from "../../schema/trial.ts";
import { isPlainObject, type JsonObject, type JsonValue } from "../../support/json.ts";

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
  /** Beside what was added by `usage.add`, which they win over. */
  readonly measurements?: Partial<Measurements>;
  /** Content digest of the image that it ran in, for the ledger. */
  readonly imageDigest?: string;
  /** Model names for the ledger, where the tool said them. */
  readonly models?: { readonly requested?: string | null; readonly served?: string | null };
}

export interface AgentErrorDraft {
  readonly type: TrialErrorType;
  readonly message: string;
  readonly traceback?: string | null;
}

const draftSchema = z.strictObject({
  output: agentOutputSchema.nullable(),
  error: z
    .strictObject({
      type: z.enum(trialErrorTypes),
      message: z.string(),
      traceback: z.string().nullable().default(null),
    })
    .optional(),
  evidence: dataMap(evidenceDescriptorSchema).optional(),
  metadata: jsonObject().optional(),
  measurements: measurementsSchema.partial().optional(),
  imageDigest: z.string().optional(),
  models: z
    .strictObject({
      requested: z.string().nullable().default(null),
      served: z.string().nullable().default(null),
    })
    .optional(),
});

/** A draft that has been checked: every part has the shape in which it is stored. */
export type CheckedDraft = Readonly<z.output<typeof draftSchema>>;

/** A text alone is an output too. */
function withWholeOutput(draft: unknown): unknown {
  if (!isPlainObject(draft) || typeof draft["output"] !== "string") return draft;
  return { ...draft, output: { outputText: draft["output"], response: null, metadata: {} } };
}

/** Checks what a runner or an agent gave, and copies it; anything but a draft fails the trial. */
export function checkDraft(given: unknown): CheckedDraft {
  try {
    return parseCopy(draftSchema, withWholeOutput(given), { source: "draft of the trial" });
  } catch (cause) {
    throw new TrialFailure("InvalidReturn", messageOf(cause), { cause });
  }
}

/**
 * The trial cannot be produced, and another attempt would not help: a bad seed, no instruction, a wrong return shape.
 * The trial becomes `failed`.
 */
export class TrialFailure extends Error {
  override readonly name = "TrialFailure";
  readonly type: TrialErrorType;
  readonly metadata: JsonObject;

  constructor(
    type: TrialErrorType,
    message: string,
    options: { readonly cause?: unknown; readonly metadata?: JsonObject } = {},
  ) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.type = type;
    this.metadata = options.metadata ?? {};
  }
}
