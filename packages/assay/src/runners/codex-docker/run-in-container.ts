import path from "node:path";

import type { ExecResult, Sandbox } from "../../contracts/sandbox.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import type { CodexEnding } from "../codex/outcome.ts";
import type { AttemptContext } from "../define/attempt-context.ts";
import { type TakenWorkspace, takeWorkspace } from "../define/container/workspace.ts";
import type { ContainerInvocation } from "./invocation.ts";
import { places } from "./invocation.ts";
import type { CodexDockerOptions } from "./options.ts";

const maxStreamBytes = 64 * 1024 * 1024;
/** One event holds the whole output of a command, up to 1 MiB before it is escaped. */
const maxLineBytes = 8 * 1024 * 1024;
const tailCharacters = 2000;
/** Of the grace of an attempt, what ending Codex may take: the rest is for copying what it left. */
const graceShare = 0.25;

export type CodexDockerContext = AttemptContext<CodexDockerOptions>;

export interface ContainerRun extends CodexEnding {
  readonly result: ExecResult;
}

/** Runs Codex in its container to its end, or until the attempt is stopped; its streams go to files while they come. */
export async function runInContainer(
  sandbox: Sandbox,
  { argv, env }: ContainerInvocation,
  {
    context,
    directory,
    prompt,
    onLine,
  }: {
    readonly context: CodexDockerContext;
    readonly directory: string;
    readonly prompt: string;
    readonly onLine: (line: string) => void;
  },
): Promise<ContainerRun> {
  const { redact, graceMs, signal } = context;
  let stderrTail = "";
  const streamTo = (file: string) => ({
    file: path.join(directory, file),
    maxBytes: maxStreamBytes,
    maxLineBytes,
  });
  const result = await sandbox.exec({
    argv,
    env,
    stdin: prompt,
    stdout: { ...streamTo("stdout.jsonl"), keepBytes: 0, onLine },
    stderr: {
      ...streamTo("stderr.txt"),
      onLine: (line) => {
        stderrTail = redact(`${stderrTail}${line}\n`).slice(-tailCharacters);
      },
    },
    graceMs: graceMs * graceShare,
    signal,
  });
  return { ...endingOf(result, sandbox), stderrTail, result };
}

/** Want of memory is what the agent did with its limit; a container that is gone is nobody's doing. */
function endingOf(
  { ending, exitCode }: ExecResult,
  { name }: Sandbox,
): Omit<CodexEnding, "stderrTail"> {
  const none = { signalName: null, spawnError: null };
  switch (ending) {
    case "died":
    case "vanished":
      throw new AssayError("ASSAY_SANDBOX_FAILED", `the container ${name} ${ending} under Codex`);
    case "timed_out":
    case "cancelled":
      return { ...none, ending: "cancelled", exitCode: null };
    case "oom_killed":
    case "exited":
      return { ...none, ending: "exited", exitCode: exitCode ?? 137 };
  }
}

/** Takes the workspace and the last message out of the container. */
export async function collectFiles(
  sandbox: Sandbox,
  context: CodexDockerContext,
  { directory, workspace }: { readonly directory: string; readonly workspace: string },
): Promise<TakenWorkspace> {
  const taken = await takeWorkspace(sandbox, context, { inside: places.workspace, workspace });
  if (taken.problem !== null) return taken;
  const { signal } = context;
  try {
    await sandbox.download(places.finalOutput, directory, signal.aborted ? {} : { signal });
    return taken;
  } catch (thrown) {
    return { workspace: null, problem: messageOf(thrown) };
  }
}
