import type { ProcessResult } from "../../contracts/process.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { ErrorCode } from "../../errors/codes.ts";
import type { AgentErrorDraft } from "../define/draft.ts";
import type { StreamFacts } from "./event-reader.ts";

/** How the process ended, with the end of what it said on stderr. */
export type CodexEnding = Pick<
  ProcessResult,
  "ending" | "exitCode" | "signalName" | "spawnError"
> & { readonly stderrTail: string };

/** How Codex ended, as the trial tells it; null when it ended well. Throws what is not the agent's doing. */
export function codexProblem(
  ending: CodexEnding,
  { failure }: Pick<StreamFacts, "failure">,
): AgentErrorDraft | null {
  switch (ending.ending) {
    case "spawn_failed":
      throw new AssayError(
        "ASSAY_PROCESS_SPAWN_FAILED",
        `codex could not be started: ${ending.spawnError ?? "unknown reason"}`,
      );
    case "timed_out":
    case "cancelled":
      return { type: "AgentExitError", message: "codex exec was stopped before its end" };
    case "exited":
    case "signalled": {
      if (ending.exitCode === 0 && failure === null) return null;
      const reason = failure ?? ending.stderrTail.trim();
      throwUnlessAgents(reason);
      return {
        type: "AgentExitError",
        message: `codex exec exited with ${statusOf(ending)}: ${reason}`,
      };
    }
  }
}

function statusOf({ exitCode, signalName }: CodexEnding): string {
  return exitCode === null ? `signal ${signalName ?? "unknown"}` : `status ${exitCode}`;
}

interface NotTheAgents {
  readonly pattern: RegExp;
  readonly code: ErrorCode;
  readonly remedy?: string;
}

/** Codex's own words for faults of the endpoint and of the set-up; the first that fits counts. */
const notTheAgents: readonly NotTheAgents[] = [
  {
    pattern: /^Missing environment variable|\bstatus:? 40[13]\b|^not logged in/im,
    code: "ASSAY_SECRET_MISSING",
    remedy: "Declare the credential in `secrets` and set it, or log Codex in and set codex_home.",
  },
  {
    pattern:
      /\bstatus:? 429\b|\brate limit reached\b|\busage limit\b|^quota exceeded|at capacity/im,
    code: "ASSAY_RATE_LIMITED",
  },
  {
    pattern:
      /\bstatus:? 5\d\d\b|^stream disconnected|^connection failed|^error sending request|while reading the server response|experiencing high demand/im,
    code: "ASSAY_CONNECTION_FAILED",
  },
  { pattern: /^Error finding codex home/im, code: "ASSAY_TOOL_UNUSABLE" },
  { pattern: /^Error loading config/im, code: "ASSAY_CONFIG_INVALID" },
];

/** What a reason given by Codex says of the endpoint or of the set-up; null when it is the agent's doing. */
export function faultOf(reason: string): Omit<NotTheAgents, "pattern"> | null {
  return notTheAgents.find(({ pattern }) => pattern.test(reason)) ?? null;
}

function throwUnlessAgents(reason: string): void {
  const known = faultOf(reason);
  if (known === null) return;
  const { code, remedy } = known;
  throw new AssayError(code, `codex: ${reason}`, remedy === undefined ? {} : { remedy });
}
