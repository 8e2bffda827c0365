import path from "node:path";

import type { ProcessResult } from "../../../contracts/process.ts";
import { AssayError } from "../../../errors/assay-error.ts";
import { type ErrorCode, errorCodes } from "../../../errors/codes.ts";
import type { JsonObject } from "../../../support/json.ts";
import type { OptionsOutput } from "../../../support/options.ts";
import type { AttemptContext } from "../../define/attempt-context.ts";
import { type TrialDraft, TrialFailure } from "../../define/draft.ts";
import type { callableOptions } from "../options.ts";
import { requireSuiteProcess } from "./availability.ts";
import type { AgentEnd } from "./messages.ts";
import { ToldAttempt } from "./told-attempt.ts";

type Context = AttemptContext<OptionsOutput<typeof callableOptions>>;

interface Ended {
  readonly result: ProcessResult;
  readonly end: AgentEnd | null;
  readonly hasRunOutOfHeap: boolean;
  readonly memoryLimitMb: number | null;
}

/** Runs one attempt of the agent in a process of its own, which is ended with all it started, whatever it does. */
export async function runIsolated(
  task: { readonly id: string; readonly inputs: JsonObject },
  context: Context,
): Promise<TrialDraft> {
  const { memoryLimitMb, inheritEnv } = context.options;
  const suiteProcess = requireSuiteProcess(context.suiteProcess);
  const { path: workspace } = await context.workspace();
  const output = await openOutput(context);
  const told = new ToldAttempt(context, suiteProcess);
  let hasRunOutOfHeap = false;
  const { trialIndex, attemptIndex, secrets } = context;
  const order = { task, workspace, trialIndex, attemptIndex, secrets };
  const result = await context.process.run({
    argv: suiteProcess.command(
      memoryLimitMb === null ? [] : [`--max-old-space-size=${memoryLimitMb}`],
    ),
    cwd: workspace,
    env: { HOME: output.home, ...context.process.baseEnv(inheritEnv), ...secrets },
    stdin: suiteProcess.instructions(order),
    stdout: output.stdout,
    stderr: {
      ...output.stderr,
      onLine: (line) => {
        hasRunOutOfHeap ||= line.includes("JavaScript heap out of memory");
      },
    },
    messages: {
      keepBytes: 0,
      maxLineBytes: suiteProcess.maxLineBytes,
      onLine: (line) => told.take(line),
    },
    signal: context.signal,
    graceMs: context.graceMs,
  });
  if (told.unreadable > 0)
    context.log.warn("the agent's process wrote what is no message", { count: told.unreadable });
  const isTruncated = output.add(result);
  const draft = draftOf({ result, end: told.end, hasRunOutOfHeap, memoryLimitMb });
  return isTruncated
    ? { ...draft, metadata: { ...draft.metadata, output_truncated: true } }
    : draft;
}

const maxOutputBytes = 16 * 1024 * 1024;

/** Files for what the agent prints; `add` names them as evidence and tells whether they were cut. */
async function openOutput({ directory, files, evidence }: Context) {
  const root = await directory();
  const [folder, home] = [path.join(root, "output"), path.join(root, "home")];
  await files.makePrivateDirectory(folder);
  await files.makePrivateDirectory(home);
  const sink = (name: string) => ({
    file: path.join(folder, name),
    keepBytes: 0,
    maxBytes: maxOutputBytes,
  });
  const add = ({ stdout, stderr }: ProcessResult): boolean => {
    if (stdout.totalBytes + stderr.totalBytes > 0)
      evidence.add("agent_output", { kind: "logs", format: "dir", ref: folder });
    return stdout.isTruncated || stderr.isTruncated;
  };
  return { home, stdout: sink("stdout.txt"), stderr: sink("stderr.txt"), add };
}

function draftOf(ended: Ended): TrialDraft {
  const { result, end } = ended;
  if (result.ending === "spawn_failed") {
    throw new AssayError(
      "ASSAY_PROCESS_SPAWN_FAILED",
      `the agent's process could not be started: ${result.spawnError}`,
    );
  }
  switch (end?.type) {
    case "reply":
      return end.draft as unknown as TrialDraft;
    case "threw":
      return { output: null, error: { ...end, type: "AgentError" } };
    case "fault":
      throw new AssayError(codeOf(end.code), end.message);
    case "failed":
      throw new TrialFailure(end.errorType, end.message);
    case "too_large":
      return failed("OutputTooLarge", "the agent's reply is too large to be handed over");
    case "stalled":
      return failed("AgentExitError", "the agent awaits a promise that nothing is left to settle");
    case undefined:
      return failed("AgentExitError", exitMessage(ended));
  }
}

function failed(type: "OutputTooLarge" | "AgentExitError", message: string): TrialDraft {
  return { output: null, error: { type, message } };
}

function codeOf(code: string): ErrorCode {
  return Object.hasOwn(errorCodes, code) ? (code as ErrorCode) : "ASSAY_CONNECTION_FAILED";
}

function exitMessage({ result, hasRunOutOfHeap, memoryLimitMb }: Ended): string {
  const { exitCode, signalName } = result;
  if (hasRunOutOfHeap) {
    const limit = memoryLimitMb === null ? "all that Node gave it" : `its ${memoryLimitMb} MB`;
    return `the agent's process used up the memory of its heap (${limit})`;
  }
  if (signalName !== null) return `the agent's process was ended by ${signalName}`;
  return `the agent ended its process with exit code ${exitCode} before it replied`;
}
