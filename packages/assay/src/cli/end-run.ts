import type { EvalResult } from "../entries/index.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import type { CommandContext } from "./context.ts";
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

/** Says how a run that ended before its plan is gone on with. `file` is the suite as it was given. */
export function tellHowToResume(
  { io }: CommandContext,
  { status, workDir }: EvalResult,
  file: string,
): void {
  if (status === "completed") return;
  const command = ["assay", "run", file, "--resume", "--out", workDir].map(asWord).join(" ");
  io.stderr.write(`go on with it by: ${command}\n`);
}

/** As a shell takes it for one word. */
function asWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
