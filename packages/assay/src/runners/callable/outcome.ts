import { AssayError, describeThrown, stackOf } from "../../errors/assay-error.ts";
import { httpStatusOf } from "../../support/http-status.ts";
import { describeKind, isPlainObject } from "../../support/json.ts";
import type { AgentErrorDraft, TrialDraft } from "../define/draft.ts";
import { TrialFailure } from "../define/draft.ts";

const draftKeys = ["output", "evidence", "metadata", "measurements", "models"];

/** The draft of what an agent function returned; its parts are checked with the draft, anything else fails the trial. */
export function draftOfReply(reply: unknown): TrialDraft {
  if (typeof reply === "string") return { output: reply };
  if (!isPlainObject(reply)) throw invalidReturn(`it returned ${describeKind(reply)}`);
  if (!Object.hasOwn(reply, "output")) return { output: reply };
  const unknownKey = Object.keys(reply).find((key) => !draftKeys.includes(key));
  if (unknownKey !== undefined) throw invalidReturn(`its draft has an unknown key "${unknownKey}"`);
  return reply as unknown as TrialDraft;
}

/** What was thrown and is not the agent's doing: it says so with an error of ours, or its endpoint refused the credential. */
export function faultOfThrow(thrown: unknown): AssayError | null {
  if (AssayError.isInstance(thrown)) return thrown.fault === "infrastructure" ? thrown : null;
  const status = httpStatusOf(thrown);
  if (status !== 401 && status !== 403) return null;
  const message = `the agent was refused with status ${status}: ${describeThrown(thrown)}`;
  return new AssayError("ASSAY_SECRET_MISSING", message, { cause: thrown });
}

/** An agent that threw ran, but did not end well. */
export function errorOfThrow(thrown: unknown): AgentErrorDraft {
  return { type: "AgentError", message: describeThrown(thrown), traceback: stackOf(thrown) };
}

function invalidReturn(what: string): TrialFailure {
  return new TrialFailure(
    "InvalidReturn",
    "the agent function must return a string, an output { outputText?, response?, metadata? }, " +
      `or a draft { output, evidence?, metadata?, measurements?, models? }, but ${what}`,
  );
}
