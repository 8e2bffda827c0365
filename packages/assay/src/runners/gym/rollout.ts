import { AssayError } from "../../errors/assay-error.ts";
import {
  getOwn,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from "../../support/json.ts";

/** Keys that Gym itself puts into rows. */
export const gymKeys = {
  taskIndex: "_ng_task_index",
  rolloutIndex: "_ng_rollout_index",
  attemptIndex: "_ng_attempt_index",
  failureClass: "_ng_failure_class",
  isTerminal: "_ng_failure_terminal",
  params: "responses_create_params",
} as const;

/** One row of a rollouts file or of its failures. */
export interface RolloutRow {
  readonly fields: JsonObject;
  /** Null when the row does not say. */
  readonly taskIndex: number | null;
  readonly rolloutIndex: number | null;
}

/** Throws `ASSAY_CONFIG_INVALID`, with `source`, for a line that is no JSON object. */
export function readRollout(line: string, source: string): RolloutRow {
  const fields = parseRow(line, source);
  if (!isPlainObject(fields))
    throw new AssayError("ASSAY_CONFIG_INVALID", `${source} is no JSON object`);
  return {
    fields: fields as JsonObject,
    taskIndex: indexIn(fields, gymKeys.taskIndex),
    rolloutIndex: indexIn(fields, gymKeys.rolloutIndex),
  };
}

function indexIn(fields: Record<string, unknown>, key: string): number | null {
  const value = getOwn(fields, key);
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Python writes numbers that JSON has no word for; each becomes the text that stands for it elsewhere. */
function parseRow(line: string, source: string): unknown {
  try {
    return parseJson(line, source);
  } catch (problem) {
    const strict = withoutNonFinite(line);
    if (strict === line) throw problem;
    return parseJson(strict, source);
  }
}

/** `NaN`, `Infinity` and `-Infinity` outside of texts, as texts. */
function withoutNonFinite(line: string): string {
  return line.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  );
}

const ownKeys: ReadonlySet<string> = new Set([
  gymKeys.params,
  gymKeys.taskIndex,
  gymKeys.rolloutIndex,
  gymKeys.attemptIndex,
  "response",
  "agent_ref",
]);

/** The figures of the verifier, beside the reward itself. */
export function rewardDetails(fields: JsonObject, rewardKey: string): Record<string, JsonValue> {
  const entries = Object.entries(fields).filter(
    ([key, value]) =>
      typeof value === "number" && Number.isFinite(value) && key !== rewardKey && !ownKeys.has(key),
  );
  return Object.fromEntries(entries);
}

/** A reward counts only as a number: neither a boolean nor text is one. */
export function rewardOf(fields: JsonObject, rewardKey: string): number | null {
  const value = getOwn(fields, rewardKey);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

const failureTexts = ["error", "exception", "failure_reason", "_ng_failure_message"];

/** What a row of the failures says happened. */
export function failureText(fields: JsonObject): string {
  const said = failureTexts.map((key) => getOwn(fields, key)).filter(isText);
  const [first = "Gym reported a failure without a reason"] = said;
  return first;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
