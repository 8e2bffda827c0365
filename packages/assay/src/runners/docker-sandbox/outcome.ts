import { AssayError, describeThrown, errorNameOf, messageOf } from "../../errors/assay-error.ts";
import type { ErrorCode } from "../../errors/codes.ts";
import { getOwn } from "../../support/json.ts";
import type { AgentErrorDraft } from "../define/draft.ts";
import type { RunFacts } from "./event-reader.ts";

/** What ended the run of an agent that did not end well. Throws what is not the agent's doing. */
export function agentProblem(
  thrown: unknown,
  { isAnswerCut }: Pick<RunFacts, "isAnswerCut">,
): AgentErrorDraft {
  const name = errorNameOf(thrown);
  const message = messageOf(thrown);
  if (AssayError.isInstance(thrown)) throw thrown;
  const status = statusOf(thrown);
  if (status !== null) return statusProblem(status, message);
  if (isAnswerCut || isLostConnection(thrown))
    throw fault("ASSAY_CONNECTION_FAILED", `the connection was lost: ${causeOf(thrown)}`);
  switch (name) {
    case "SyntaxError":
      throw fault("ASSAY_CONNECTION_FAILED", `the endpoint's answer is no JSON: ${message}`);
    case "ModelRefusalError":
      return { type: "AgentRefused", message };
    case "MaxTurnsExceededError":
    case "ModelBehaviorError":
      return { type: "AgentError", message };
    default:
      throw thrown;
  }
}

/** The HTTP status of an answer, as the client tells it. */
function statusOf(thrown: unknown): number | null {
  const status = typeof thrown === "object" && thrown !== null ? getOwn(thrown, "status") : null;
  return typeof status === "number" ? status : null;
}

function statusProblem(status: number, message: string): AgentErrorDraft {
  if (status === 401 || status === 403) {
    throw new AssayError("ASSAY_SECRET_MISSING", `the endpoint refused the key: ${message}`, {
      remedy: "Declare the credential in `secrets`, set it, and name it in key_variable.",
    });
  }
  if (status === 404) {
    throw new AssayError("ASSAY_CONFIG_INVALID", `the endpoint knows no such thing: ${message}`, {
      remedy: "Check the options base_url, api and model.",
    });
  }
  if (status === 429) throw fault("ASSAY_RATE_LIMITED", `the endpoint is busy: ${message}`);
  if (status === 408 || status === 409 || status >= 500)
    throw fault("ASSAY_CONNECTION_FAILED", `the endpoint failed: ${message}`);
  return { type: "AgentError", message: `the endpoint turned a request down: ${message}` };
}

function fault(code: ErrorCode, message: string): AssayError {
  return new AssayError(code, message);
}

/** As `openai` and Node's own `fetch` tell it. */
function isLostConnection(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const isOfClient = /^APIConnection/.test(thrown.constructor.name);
  const isOfFetch =
    thrown instanceof TypeError && /^(terminated|fetch failed)$/.test(thrown.message);
  return isOfClient || isOfFetch;
}

function causeOf(thrown: unknown): string {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  const own = describeThrown(thrown);
  return cause === undefined ? own : `${own} (${messageOf(cause)})`;
}
