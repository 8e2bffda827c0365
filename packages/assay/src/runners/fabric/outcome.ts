import { AssayError } from "../../errors/assay-error.ts";
import type { ErrorCode } from "../../errors/codes.ts";
import type { JsonObject } from "../../support/json.ts";
import type { AgentErrorDraft } from "../define/draft.ts";
import { problemOfFailure } from "./ask-driver.ts";
import type { DriverFailure, DriverReader } from "./messages.ts";
import type { ReadResult } from "./read-result.ts";
import type { DriverEnding } from "./run-driver.ts";
import { type FabricError, type RunResult, textOfOutput } from "./run-result.ts";

/** What Fabric says of a failure, whether in a result or thrown. */
export type FabricFault = Pick<FabricError, "stage" | "code" | "message" | "retryable">;

/** How an attempt ended, as the trial tells it. */
export interface Verdict {
  /** Null when it ended well. */
  readonly error: AgentErrorDraft | null;
  /** Fabric's own words for it. */
  readonly fault: FabricFault | null;
}

const well: Verdict = { error: null, fault: null };

/** Judges an attempt. Throws what is not the agent's doing. */
export function judge(ended: DriverEnding, read: ReadResult | null, python: string): Verdict {
  if (ended.ending === "spawn_failed") {
    throw new AssayError(
      "ASSAY_PROCESS_SPAWN_FAILED",
      `the driver of NeMo Fabric could not be started: ${ended.spawnError ?? "unknown reason"}`,
    );
  }
  const { answer } = ended.reader;
  if (answer?.type === "failed") return verdictOfFailure(answer, ended.reader, python);
  // What lies there counts only when the driver ended well: a result may be older than its end.
  if (read === null || !hasEndedWell(ended)) return verdictWithoutResult(ended);
  if (read.result !== null) return verdictOfResult(read.result);
  const message = `NeMo Fabric gave no usable result: ${read.problem}`;
  return agents({ type: "OutputUnreadable", message });
}

function hasEndedWell({ ending, exitCode }: DriverEnding): boolean {
  return ending === "exited" && exitCode === 0;
}

function agents(error: AgentErrorDraft, fault: FabricFault | null = null): Verdict {
  return { error, fault };
}

/** The driver said why there is no result. */
function verdictOfFailure(
  failure: DriverFailure,
  { hasStarted }: Pick<DriverReader, "hasStarted">,
  python: string,
): Verdict {
  if (failure.where === "result")
    return agents({ type: "OutputTooLarge", message: `NeMo Fabric: ${failure.message}` });
  if (failure.where !== "run" || !hasStarted) throw problemOfFailure(failure, python);
  const { stage, message, retryable } = failure;
  const code = failure.code ?? codeIn(message) ?? failure.error_type;
  return verdictOfFault({ stage, code, message, retryable });
}

/** Fabric's exceptions keep the adapter's code in their text alone. */
function codeIn(message: string): string | null {
  return /^adapter lifecycle \w+ failed for runtime `[^`]*` \((\w+)\): /.exec(message)?.[1] ?? null;
}

export function verdictOfResult({ status, error, output }: RunResult): Verdict {
  if (status === "succeeded") {
    if (output === null || (textOfOutput(output) ?? "").trim() !== "") return well;
    return agents({ type: "BlankReply", message: "the agent gave a blank reply" });
  }
  if (error !== null) return verdictOfFault(error);
  return agents({
    type: "AgentExitError",
    message: `NeMo Fabric: the run did not succeed: ${status}`,
  });
}

/** Stages at which the agent has begun to work. */
const stagesOfAgent = ["invoke", "stop", "release", "artifact"];

function verdictOfFault(fault: FabricFault): Verdict {
  const { stage, code, message } = fault;
  const text = `NeMo Fabric: ${[stage, code].filter((part) => part !== null).join(" ")}: ${message}`;
  if (/(?:^|_)(?:timeout|timed_out)$/.test(code ?? ""))
    return agents({ type: "TimeoutError", message: text }, fault);
  throwUnlessAgents(fault, text);
  if (stage !== null && !stagesOfAgent.includes(stage)) {
    throw new AssayError("ASSAY_TOOL_UNUSABLE", text, {
      remedy: "Check the harness and its settings; `assay doctor` shows what is found.",
    });
  }
  return agents({ type: "AgentExitError", message: text }, fault);
}

interface NotTheAgents {
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  readonly remedy?: string;
}

/** Words of harnesses for faults of the endpoint and of the set-up; the first that fits counts. */
const notTheAgents: readonly NotTheAgents[] = [
  {
    pattern:
      /\bstatus:? 40[13]\b|^not logged in|\bis required for (?:the selected model provider|\w+ API-key)/im,
    code: "ASSAY_SECRET_MISSING",
    remedy: "Declare the credential in `secrets`, set it, and name it in api_key_env.",
  },
  {
    pattern:
      /\bstatus:? 429\b|\brate limit reached\b|\busage limit\b|\bquota exceeded\b|\bat capacity\b/im,
    code: "ASSAY_RATE_LIMITED",
  },
  {
    pattern:
      /\bstatus:? 5\d\d\b|\bstream disconnected\b|\bconnection (?:failed|refused|reset|closed)\b|\berror sending request\b|\bexperiencing high demand\b/im,
    code: "ASSAY_CONNECTION_FAILED",
  },
];

function throwUnlessAgents({ message, retryable }: FabricFault, text: string): void {
  const known = notTheAgents.find(({ pattern }) => pattern.test(message));
  if (known !== undefined) {
    const { code, remedy } = known;
    throw new AssayError(code, text, remedy === undefined ? {} : { remedy });
  }
  if (retryable) throw new AssayError("ASSAY_CONNECTION_FAILED", text);
}

/** The driver ended badly, or was ended, or said nothing of how. */
function verdictWithoutResult({
  ending,
  exitCode,
  signalName,
  stderrTail,
  reader,
}: DriverEnding): Verdict {
  if (ending === "cancelled" || ending === "timed_out")
    return agents({ type: "AgentExitError", message: "NeMo Fabric was stopped before its end" });
  const how = exitCode === null ? `signal ${signalName ?? "unknown"}` : `status ${exitCode}`;
  const result = reader.answer === null ? "and no result" : "after its result";
  const message = `the driver of NeMo Fabric ended with ${how} ${result}: ${stderrTail.trim()}`;
  if (reader.hasStarted) return agents({ type: "AgentExitError", message });
  throw new AssayError("ASSAY_TOOL_UNUSABLE", message);
}

/** What a failure is in `error.json`. */
export function errorRecord({ error, fault }: Verdict): JsonObject {
  return {
    error_type: fault?.code ?? fault?.stage ?? error?.type ?? null,
    error: error?.message ?? null,
    ...(fault === null ? {} : { stage: fault.stage, retryable: fault.retryable }),
  };
}
