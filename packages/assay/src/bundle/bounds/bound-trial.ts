import type { EvidenceDescriptor, EvidenceSet } from "../../schema/evidence.ts";
import type { AgentOutput, TrialError, TrialRecord } from "../../schema/trial.ts";
import { type JsonObject, setOwn } from "../../support/json.ts";
import {
  cutToBytes,
  isWithin,
  leftOut,
  memberOf,
  oversized,
  remnantOf,
  rowBounds,
  sizeOf,
  sizeText,
} from "./bounds.ts";

export function hasBoundedTexts({ output, error }: TrialRecord): boolean {
  return (
    isWithin(output?.outputText ?? "", rowBounds.outputText) &&
    isWithin(error?.message ?? "", rowBounds.errorText) &&
    isWithin(error?.traceback ?? "", rowBounds.errorText)
  );
}

/** A trial whose row can be read again: texts are cut, data that are too large give way to a note of their size. */
export function boundTrial(record: TrialRecord): TrialRecord {
  const { output, evidence, metadata, error } = record;
  const over = oversized({
    response: output?.response ?? null,
    outputMetadata: output?.metadata ?? {},
    evidence,
    metadata,
  });
  const lostBytes = over.get("response");
  return {
    ...record,
    ...(lostBytes === undefined ? {} : withoutResponse(record, lostBytes)),
    ...(error === null ? {} : { error: boundError(error) }),
    output: output === null ? null : boundOutput(output, over),
    evidence: evidence !== null && over.has("evidence") ? boundEvidence(evidence) : evidence,
    metadata: over.has("metadata") ? remnantOf(metadata) : metadata,
  };
}

/** A trial that ended well did not, when what it gave cannot be kept. */
function withoutResponse(
  { status }: TrialRecord,
  bytes: number,
): Pick<TrialRecord, "status" | "error"> | Record<string, never> {
  if (status !== "completed") return {};
  const message = `the response takes ${sizeText(bytes)} as JSON and was left out: all data of a trial may take ${sizeText(rowBounds.data)}`;
  return {
    status: "partial",
    error: { type: "OutputTooLarge", message, traceback: null, occurredAt: null },
  };
}

function boundError(error: TrialError): TrialError {
  const { message, traceback } = error;
  return {
    ...error,
    message: message === null ? null : cutToBytes(message, rowBounds.errorText),
    traceback: traceback === null ? null : cutToBytes(traceback, rowBounds.errorText),
  };
}

function boundOutput(output: AgentOutput, over: ReadonlyMap<string, number>): AgentOutput {
  const { outputText, response, metadata } = output;
  const text = outputText === null ? null : cutToBytes(outputText, rowBounds.outputText);
  const lostBytes = over.get("response");
  const notes: JsonObject = {
    ...(text === outputText ? {} : { truncated_from_bytes: Buffer.byteLength(outputText ?? "") }),
    ...(lostBytes === undefined ? {} : { response_left_out: sizeText(lostBytes) }),
  };
  const kept = over.has("outputMetadata") ? remnantOf(metadata) : metadata;
  return {
    outputText: text,
    response: lostBytes === undefined ? response : null,
    metadata: Object.keys(notes).length === 0 ? kept : { ...kept, ...notes },
  };
}

/** What refers to a file stays longest. */
function boundEvidence({ descriptors, metadata }: EvidenceSet): EvidenceSet {
  const bounded = Object.entries(descriptors).map(
    ([name, descriptor]) => [name, boundDescriptor(descriptor)] as const,
  );
  const smaller = { descriptors: mapOf(bounded), metadata: remnantOf(metadata) };
  if (sizeOf(smaller) <= rowBounds.remnant) return smaller;
  const referring = mapOf(bounded.filter(([, { ref }]) => ref !== null));
  const note = leftOut(sizeOf(descriptors));
  const isSmall = sizeOf(referring) <= rowBounds.remnant;
  return { descriptors: isSmall ? referring : {}, metadata: note };
}

function boundDescriptor(descriptor: EvidenceDescriptor): EvidenceDescriptor {
  const { data, metadata, description } = descriptor;
  return {
    ...descriptor,
    data: memberOf(data),
    description: description === null ? null : cutToBytes(description, rowBounds.member),
    metadata: sizeOf(metadata) <= rowBounds.member ? metadata : remnantOf(metadata),
  };
}

function mapOf(
  entries: readonly (readonly [string, EvidenceDescriptor])[],
): EvidenceSet["descriptors"] {
  const map: Record<string, EvidenceDescriptor> = {};
  for (const [name, descriptor] of entries) setOwn(map, name, descriptor);
  return map;
}
