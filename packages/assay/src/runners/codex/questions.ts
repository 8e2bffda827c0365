import path from "node:path";

import type { ProcessResult } from "../../contracts/process.ts";
import type { ProbeContext } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { cutText } from "../../support/cut-text.ts";
import type { CodexOptions } from "./options.ts";

const timeoutMs = 30_000;

export interface Answer {
  readonly isGood: boolean;
  readonly exitCode: number | null;
  readonly stdout: string;
  /** What it said about why not, for people. */
  readonly complaint: string;
}

/** Starts Codex with these arguments and waits for its end. */
export type Ask = (...args: readonly string[]) => Promise<Answer>;

/** Asks as trials do, but in a home of its own: even `--version` writes to it. */
export async function askCodex(
  program: string,
  options: CodexOptions,
  { process, files, scratch, signal }: ProbeContext,
): Promise<Ask> {
  const home = path.join(scratch, "codex-probe");
  const codexHome = path.join(home, "codex-home");
  await files.makePrivateDirectory(home);
  await files.makePrivateDirectory(codexHome);
  const given = { ...process.baseEnv(options.inheritEnv), ...options.env };
  const env = { ...given, HOME: home, CODEX_HOME: codexHome };
  return async (...args) => {
    const argv: [string, ...string[]] = [program, ...args];
    return answerOf(await process.run({ argv, cwd: home, env, timeoutMs, signal }));
  };
}

function answerOf({ ending, exitCode, stdout, stderr, spawnError }: ProcessResult): Answer {
  if (ending === "cancelled")
    throw new AssayError("ASSAY_CANCELLED", "cancelled while Codex was being looked at");
  const [said = ""] = (stderr.text.trim() || stdout.text.trim()).split(/\s*\n\s*Stack backtrace/);
  return {
    isGood: ending === "exited" && exitCode === 0,
    exitCode,
    stdout: stdout.text,
    complaint: cutText(said || spawnError || ending, 500),
  };
}
