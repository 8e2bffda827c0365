import path from "node:path";
import type { EvalResult } from "../entries/index.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import type { CommandContext } from "./context.ts";
import { shownDirectory } from "./print/shown-directory.ts";
import type { StopControl } from "./stop-control.ts";

/** Takes the exit code of a run that has ended. */
export function endRun(
  context: CommandContext,
  { exitCode, status }: EvalResult,
  stop: Pick<StopControl, "hasStalled" | "exitCode">,
): void {
  const interruption = stop.hasStalled ? exitCodes.incomplete : stop.exitCode;
  context.exitCode = status === "interrupted" ? (interruption ?? exitCode) : exitCode;
}

/** Says how a run that ended before its plan is gone on with, and how what failed is done again. */
export function tellHowToResume(
  { io, exitCode }: CommandContext,
  { status, workDir }: EvalResult,
  file: string,
): void {
  if (status !== "completed")
    io.stderr.write(`go on with it by: ${resumeCommand(file, { workDir, cwd: io.cwd })}\n`);
  else if (exitCode === exitCodes.incomplete) {
    const again = resumeCommand(file, { workDir, cwd: io.cwd, flags: ["--retry-failed"] });
    io.stderr.write(`do them again by: ${again}\n`);
  }
}

interface RunToResume {
  readonly workDir: string;
  readonly cwd: string;
  readonly flags?: readonly string[];
}

/** `file` is the suite as it was given. */
export function resumeCommand(file: string, { workDir, cwd, flags = [] }: RunToResume): string {
  const out = shownDirectory(path.resolve(cwd, workDir), cwd);
  return ["assay", "run", file, "--resume", ...flags, "--out", out].map(asWord).join(" ");
}

/** As a shell takes it for one word. */
function asWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
