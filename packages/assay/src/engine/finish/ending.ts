import { exitCodes } from "../../errors/exit-codes.ts";
import type { RunStatus } from "../../schema/manifest.ts";
import { exitCodeOfInterruption } from "../results/exit-code.ts";
import type { Execution } from "../trials/execute.ts";

/** How the run ended, in the terms of the manifest and of the command line. */
export interface Ending {
  readonly status: RunStatus;
  readonly cause: string | null;
  readonly exitCode: number;
}

export function endingOf({ stop, tally }: Execution): Ending {
  if (stop?.kind === "interrupted") {
    const exitCode = exitCodeOfInterruption(stop.message);
    return { status: "interrupted", cause: stop.message, exitCode };
  }
  if (stop !== null)
    return { status: "incomplete", cause: stop.message, exitCode: exitCodes.incomplete };
  const isWhole = tally.failedTrials === 0 && tally.failedMetrics === 0;
  return {
    status: "completed",
    cause: null,
    exitCode: isWhole ? exitCodes.done : exitCodes.incomplete,
  };
}
