import type { EvalResult } from "../entries/index.ts";
import type { CommandContext } from "./context.ts";
import type { StopControl } from "./stop-control.ts";

const incomplete = 4;

/** Takes the exit code of a run that has ended, and says why it is not 0 where the status does not. */
export function endRun(
  context: CommandContext,
  { exitCode, status }: EvalResult,
  stop: Pick<StopControl, "hasStalled" | "exitCode">,
): void {
  const interruption = stop.hasStalled ? incomplete : stop.exitCode;
  context.exitCode = status === "interrupted" ? (interruption ?? exitCode) : exitCode;
  if (status === "completed" && exitCode === incomplete) {
    context.io.stderr.write("exit code 4: some trials or scores could not be produced\n");
  }
}
