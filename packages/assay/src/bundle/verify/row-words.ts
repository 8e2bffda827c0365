import { bundleFiles } from "../layout.ts";

const longestShown = 100;

/** Text of a bundle as it is told. */
export function quoted(text: string): string {
  const shown = text.length > longestShown ? `${text.slice(0, longestShown)}...` : text;
  return JSON.stringify(shown);
}

export function trialText(taskId: string, trialId: string): string {
  return `trial ${quoted(trialId)} of task ${quoted(taskId)}`;
}

export function ofNoTask(taskId: string): string {
  return `is of task ${quoted(taskId)}, which ${bundleFiles.tasks} does not have`;
}
