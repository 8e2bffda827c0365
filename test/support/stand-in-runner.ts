import type { RunOne } from "../../packages/assay/src/runners/define/attempt.ts";
import { defineRunner } from "../../packages/assay/src/runners/define/define-runner.ts";

export type Run = RunOne<unknown>;

/** A runner of no tool. Its trials are named `<task>:s`. */
export function standInRunner(run: Run, timeLimitS: number | null = null) {
  return defineRunner({
    name: "stand_in",
    description: "For tests.",
    needs: [],
    options: {},
    timeLimitS: () => timeLimitS,
    trialIdSuffix: () => "s",
    run,
  })({});
}
