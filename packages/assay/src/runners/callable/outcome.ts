import { describeThrown } from "../../errors/assay-error.ts";
import { agentOutputSchema, measurementsSchema } from "../../schema/trial.ts";
import { describeKind, isJson, isPlainObject } from "../../support/json.ts";
import type { OutputDraft, TrialDraft } from "../define/draft.ts";
import { TrialFailure } from "../define/draft.ts";

const acceptedShapes = "a string, an output { outputText?, response?, metadata? }, or a draft { output, evidence?, metadata?, measurements? }";

/** The draft of what an agent function returned; any other shape fails the trial. */
export function draftOfReply(reply: unknown): TrialDraft {
  if (typeof reply === "string") return { output: reply };
  if (!isPlainObject(reply)) throw invalidReturn(`it returned ${describeKind(reply)}`);
  if (!Object.hasOwn(reply, "output")) return { output: outputOf(reply) };
  const { output, evidence, metadata, measurements, ...rest } = reply;
  const [unknownKey] = Object.keys(rest);
  if (unknownKey !== undefined) throw invalidReturn(`its draft has an unknown key "${unknownKey}"`);
  return {
    output: output === null || typeof output === "string" ? output : outputOf(output),
    ...(evidence === undefined ? {} : { evidence: evidence as NonNullable<TrialDraft["evidence"]> }),
    ...(metadata === undefined ? {} : { metadata: metadataOf(metadata) }),
    ...(measurements === undefined ? {} : { measurements: measurementsOf(measurements) }),
  };
}

/** An agent that threw ran, but did not end well. */
export function draftOfThrow(thrown: unknown): TrialDraft {
  const traceback = thrown instanceof Error ? (thrown.stack ?? null) : null;
  return { output: null, error: { type: "AgentError", message: describeThrown(thrown), traceback } };
}

function outputOf(value: unknown): OutputDraft {
  const parsed = agentOutputSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw invalidReturn(`its output is wrong at "${issue?.path.join(".") ?? ""}": ${issue?.message ?? "unknown"}`);
}

function metadataOf(value: unknown): NonNullable<TrialDraft["metadata"]> {
  if (!isPlainObject(value) || !isJson(value)) throw invalidReturn("its metadata is not an object of JSON data");
  return value;
}

function measurementsOf(value: unknown): NonNullable<TrialDraft["measurements"]> {
  const parsed = measurementsSchema.partial().safeParse(value);
  if (!parsed.success) throw invalidReturn(`its measurements are wrong: ${parsed.error.issues[0]?.message ?? "unknown"}`);
  const given = Object.entries(parsed.data).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(given) as NonNullable<TrialDraft["measurements"]>;
}

function invalidReturn(what: string): TrialFailure {
  return new TrialFailure("InvalidReturn", `the agent function must return ${acceptedShapes}, but ${what}`);
}
