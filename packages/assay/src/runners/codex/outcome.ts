import type { ProcessResult } from "../../contracts/process.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { AgentErrorDraft } from "../define/draft.ts";
import type { StreamFacts } from "./event-reader.ts";

/** How Codex ended, as the trial tells it; null when it ended well. Throws what is not the agent's doing. */
export function codexProblem(result: ProcessResult, stream: StreamFacts): AgentErrorDraft | null {
  if (result.ending === "spawn_failed") {
    throw new AssayError("ASSAY_PROCESS_SPAWN_FAILED", `codex could not be started: ${result.spawnError ?? "unknown reason"}`);
  }
  if (result.ending === "exited" && result.exitCode === 0 && stream.failure === null) return null;
  const reason = stream.failure ?? result.stderr.text.trim().slice(-2000);
  throwUnlessAgents(reason, result.stderr.text);
  const status = result.exitCode === null ? `signal ${result.signalName ?? "unknown"}` : `status ${result.exitCode}`;
  return { type: "AgentExitError", message: `codex exec exited with ${status}: ${reason}` };
}

/** Faults of the endpoint and of the set-up are not charged to the agent. */
function throwUnlessAgents(reason: string, stderr: string): void {
  if (/Missing environment variable|401 Unauthorized|403 Forbidden|not logged in/i.test(reason)) {
    throw new AssayError("ASSAY_SECRET_MISSING", `codex has no valid credential: ${reason}`, {
      remedy: "Declare the credential in `secrets` and set it, or log Codex in and set codex_home.",
    });
  }
  if (/\b429\b|rate limit|retry limit/i.test(reason)) throw new AssayError("ASSAY_RATE_LIMITED", `codex: ${reason}`);
  if (/unexpected status 5\d\d|stream disconnected|connection failed|error sending request|timed? ?out waiting/i.test(reason)) {
    throw new AssayError("ASSAY_CONNECTION_FAILED", `codex: ${reason}`);
  }
  if (/Error finding codex home/i.test(stderr)) throw new AssayError("ASSAY_TOOL_UNUSABLE", `codex: ${stderr.trim().slice(0, 500)}`);
}
