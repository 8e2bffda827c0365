import type { TrajectoryToolCall } from "../../contracts/trajectory.ts";
import { getOwn, type JsonObject } from "../../support/json.ts";

export type Normalization = "whitespace" | "exact";

export interface ArgumentRule {
  readonly argument: string;
  readonly inputKey: string;
  readonly normalize: Normalization;
}

/** Why the argument of a call is not the input, for people; null when every call has it and there is one. */
export function whyNoMatch(
  calls: readonly TrajectoryToolCall[],
  inputs: JsonObject,
  { argument, inputKey, normalize }: ArgumentRule,
): string | null {
  const input = getOwn(inputs, inputKey);
  if (typeof input !== "string") return `the task has no text as its input "${inputKey}"`;
  if (calls.length === 0) return "the tool was not called";
  const expected = normalized(input, normalize);
  for (const [index, { arguments: given }] of calls.entries()) {
    const value = given === null ? undefined : getOwn(given, argument);
    const which = `call ${index + 1} of ${calls.length}`;
    if (typeof value !== "string") return `${which} has no text as its argument "${argument}"`;
    if (normalized(value, normalize) !== expected)
      return `the argument "${argument}" of ${which} is not the input "${inputKey}"`;
  }
  return null;
}

function normalized(text: string, how: Normalization): string {
  return how === "exact" ? text : text.trim().replace(/\s+/g, " ");
}
