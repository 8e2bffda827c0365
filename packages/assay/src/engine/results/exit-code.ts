import { exitCodes } from "../../errors/exit-codes.ts";
import type { Manifest } from "../../schema/manifest.ts";
import type { Summary } from "../../schema/summary.ts";

/** As the command line exited after the run, told from its bundle. Bundles of other writers have no status: they ended. */
export function exitCodeOfStored(
  { status = "completed", statusCause = null }: Pick<Manifest, "status" | "statusCause">,
  { metricCoverage }: Pick<Summary, "metricCoverage">,
): number {
  if (status === "interrupted") return exitCodeOfInterruption(statusCause);
  if (status !== "completed") return exitCodes.incomplete;
  // Every trial has a score for each metric of its task, so a failed one shows here as well.
  const coverages = Object.values(metricCoverage).flatMap((outputs) => Object.values(outputs));
  return coverages.some(({ failed }) => failed > 0) ? exitCodes.incomplete : exitCodes.done;
}

/** The cause of an interrupted run is the name of the signal, when it was one. */
export function exitCodeOfInterruption(cause: string | null): number {
  const isTermination = cause !== null && /^SIG(TERM|HUP|QUIT)$/.test(cause);
  return isTermination ? exitCodes.terminated : exitCodes.interrupted;
}
