import type { EvalResult } from "../entries/index.ts";
import type { CommandContext } from "./context.ts";
import type { StopControl } from "./stop-control.ts";

const incomplete = 4;

/** Takes the exit code of a run that has ended. */
export function endRun(
  context: CommandContext,
  { exitCode, status }: EvalResult,
  stop: Pick<StopControl, "hasStalled" | "exitCode">,
): void {
  const interruption = stop.hasStalled ? incomplete : stop.exitCode;
  context.exitCode = status === "interrupted" ? (interruption ?? exitCode) : exitCode;
}
