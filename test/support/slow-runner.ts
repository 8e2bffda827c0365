import type { FakeClock } from "assay/testing";
import type { AttemptContext } from "../../packages/assay/src/runners/define/attempt-context.ts";
import type { TrialDraft } from "../../packages/assay/src/runners/define/draft.ts";
import { startTrials } from "./run-trials.ts";
import { standInRunner } from "./stand-in-runner.ts";

export type Run = (context: AttemptContext<unknown>, id: string) => Promise<TrialDraft>;

/** Ten seconds for each trial. */
export function runnerOf(run: Run, timeLimitS: number | null = 10) {
  return standInRunner(({ id }, context) => run(context, id), timeLimitS);
}

export const tasksNamed = (...ids: string[]) => ids.map((id) => ({ id, inputs: {} }));
export const limits = { graceMs: 500 };

/** Ends as it is told to when it is stopped, else never. */
export function onAbort<T>(signal: AbortSignal, end: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => {
      try {
        resolve(end());
      } catch (thrown) {
        reject(thrown);
      }
    });
  });
}

export async function runAt(clock: FakeClock, run: Run, ...ids: string[]) {
  return await startTrials(runnerOf(run), tasksNamed(...ids), { clock, limits, concurrency: 1 });
}
