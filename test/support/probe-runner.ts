import type { RunOne } from "../../packages/assay/src/runners/define/attempt.ts";
import { defineRunner } from "../../packages/assay/src/runners/define/define-runner.ts";
import { runTrials } from "./run-trials.ts";

export const task = { id: "t", inputs: { instruction: "Add 2 and 3" } };

export type Run = RunOne<unknown>;

export function runnerOf(run: Run) {
  return defineRunner({
    name: "probe_runner",
    description: "For tests.",
    needs: [],
    options: {},
    timeLimitS: () => null,
    trialIdSuffix: () => "p",
    run,
  })({});
}

export async function trialOf(run: Run) {
  const [trial] = await runTrials(runnerOf(run), [task], { limits: { attemptsPerTrial: 1 } });
  if (trial === undefined) throw new Error("there is no trial");
  return trial;
}

export const output = { outputText: "5", response: null, metadata: {} };
