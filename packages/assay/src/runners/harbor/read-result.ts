import { AssayError } from "../../errors/assay-error.ts";
import { beginningOf } from "../../support/cut-text.ts";
import { keyTwiceProblem, parseForeignJson } from "../../support/foreign-json.ts";
import { getOwn, isPlainObject } from "../../support/json.ts";

/** The `result.json` of one Harbor trial. Versions differ in what it holds, so each field is looked at where it is used. */
export interface HarborResult {
  /** Harbor's name of the trial, else that of its folder. */
  readonly name: string;
  readonly taskName: string | null;
  /** Where the task lay. */
  readonly taskPath: string | null;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Of a trial, `result.json` may hold a long traceback; more than this is no result. */
export const maxResultBytes = 16 * 1024 * 1024;

/** Stands for a number that JSON has not: Python writes it all the same. */
export const nonFiniteMark = "\u0000non_finite";

interface ResultPlace {
  /** Of the trial. */
  readonly folder: string;
  /** The file, as errors name it. Default: `result.json` in the folder. */
  readonly source?: string;
}

/** Throws `ASSAY_RESULTS_INVALID` for what is no JSON object. */
export function parseResult(
  text: string,
  { folder, source = `${folder}/result.json` }: ResultPlace,
): HarborResult {
  const fields = parseHarborJson(text, source);
  if (!isPlainObject(fields)) throw invalid(`${source}: it is no object`, text);
  const { task_name: taskName, trial_name: name } = fields;
  return {
    name: isText(name) ? name : folder,
    taskName: isText(taskName) ? taskName : null,
    taskPath: textAt(fields, "config", "task", "path") ?? textAt(fields, "task_id", "path"),
    fields,
  };
}

function parseHarborJson(text: string, source: string): unknown {
  try {
    return parseForeignJson(text, source, () => nonFiniteMark);
  } catch (cause) {
    throw invalid(`${source}: ${keyTwiceProblem(cause) ?? "it is not JSON"}`, text, cause);
  }
}

function invalid(problem: string, text: string, cause?: unknown): AssayError {
  return new AssayError("ASSAY_RESULTS_INVALID", `${problem}; ${beginningOf(text)}`, { cause });
}

export function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** What stands at a place of nested objects; undefined where the way does not lead there. */
export function at(fields: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (isPlainObject(value) ? getOwn(value, key) : undefined),
    fields,
  );
}

function textAt(fields: unknown, ...keys: readonly string[]): string | null {
  const value = at(fields, ...keys);
  return isText(value) ? value : null;
}

const requiredByHarbor = [
  "task_name",
  "trial_name",
  "trial_uri",
  "task_id",
  "task_checksum",
  "config",
  "agent_info",
];

/** Harbor itself would take it for the result of a trial when it goes on with a job. */
export function isHarborValid({ fields }: HarborResult): boolean {
  return requiredByHarbor.every((key) => (getOwn(fields, key) ?? null) !== null);
}

/** Steps of a trial of many; what is no step is left out. */
export function stepsOf({ fields }: HarborResult): readonly Record<string, unknown>[] {
  const steps = getOwn(fields, "step_results");
  return Array.isArray(steps) ? steps.filter(isPlainObject) : [];
}
