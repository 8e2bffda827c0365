import path from "node:path";

import type { CodexEnding } from "./outcome.ts";
import type { CodexContext, PreparedTrial } from "./prepare.ts";

const maxStreamBytes = 64 * 1024 * 1024;
/** One event holds the whole output of a command, up to 1 MiB before it is escaped. */
const maxLineBytes = 8 * 1024 * 1024;
const tailCharacters = 2000;

export interface CodexProcess extends CodexEnding {
  /** An output stream was longer than what is kept of it. */
  readonly isTruncated: boolean;
  readonly survivorsKilled: number;
}

/** Runs Codex to its end, or until the attempt is stopped; its streams go to files while they come. */
export async function runProcess(
  { argv, env, prompt, directory }: PreparedTrial,
  { process, redact, graceMs, signal }: CodexContext,
  onLine: (line: string) => void,
): Promise<CodexProcess> {
  let stderrTail = "";
  const streamTo = (file: string) => ({
    file: path.join(directory, file),
    keepBytes: 0,
    maxBytes: maxStreamBytes,
    maxLineBytes,
  });
  const result = await process.run({
    argv,
    cwd: directory,
    env,
    stdin: prompt,
    stdout: { ...streamTo("stdout.jsonl"), onLine },
    stderr: {
      ...streamTo("stderr.txt"),
      onLine: (line) => {
        stderrTail = redact(`${stderrTail}${line}\n`).slice(-tailCharacters);
      },
    },
    graceMs,
    signal,
  });
  const { ending, exitCode, signalName, spawnError, stdout, stderr, survivorsKilled } = result;
  const isTruncated = stdout.isTruncated || stderr.isTruncated;
  return { ending, exitCode, signalName, spawnError, stderrTail, isTruncated, survivorsKilled };
}
