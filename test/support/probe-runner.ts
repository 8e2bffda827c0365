import { runTrials } from "./run-trials.ts";
import { type Run, standInRunner } from "./stand-in-runner.ts";

export const task = { id: "t", inputs: { instruction: "Add 2 and 3" } };

export async function trialOf(run: Run) {
  const [trial] = await runTrials(standInRunner(run), [task], { limits: { attemptsPerTrial: 1 } });
  if (trial === undefined) throw new Error("there is no trial");
  return trial;
}

export const output = { outputText: "5", response: null, metadata: {} };
