import { AssayError } from "../../errors/assay-error.ts";
import { parseForeignJson } from "../../support/foreign-json.ts";
import {
  getOwn,
  isJson,
  isPlainObject,
  type JsonObject,
  type JsonValue,
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
  /** Fields that are nested too deep to be kept: they are null in `fields`. */
  readonly tooDeep: readonly string[];
  /** Fields with a number that JSON has no word for: they are text in `fields`. */
  readonly notFinite: readonly string[];
  /** Null when the row does not say. */
  readonly taskIndex: number | null;
  readonly rolloutIndex: number | null;
}

/** Throws `ASSAY_CONFIG_INVALID`, with `source`, for a line that is no JSON object, or gives a key twice. */
export function readRollout(line: string, source: string): RolloutRow {
  // Some programs put the mark of UTF-8 before the first line.
  const text = line.replace(/^\uFEFF/, "");
  const given = parseForeignJson(text, source, (word) => word);
  if (!isPlainObject(given))
    throw new AssayError("ASSAY_CONFIG_INVALID", `${source} is no JSON object`);
  const { fields, tooDeep } = keepable(given);
  return {
    fields,
    tooDeep,
    notFinite: notFiniteIn(given, text, source),
    taskIndex: indexIn(fields, gymKeys.taskIndex),
    rolloutIndex: indexIn(fields, gymKeys.rolloutIndex),
  };
}

const nonFiniteWords: ReadonlySet<unknown> = new Set(["NaN", "Infinity", "-Infinity"]);

/** The text `"NaN"` looks like the number once this is text: only one of them is replaced when it is read again. */
function notFiniteIn(
  given: Record<string, unknown>,
  text: string,
  source: string,
): readonly string[] {
  const likely = Object.keys(given).filter((key) => nonFiniteWords.has(given[key]));
  if (likely.length === 0) return likely;
  const replaced = parseForeignJson(text, source, () => null) as Record<string, unknown>;
  return likely.filter((key) => replaced[key] === null);
}

/** One field that cannot be kept costs itself, not its row. */
function keepable(given: Record<string, unknown>): Pick<RolloutRow, "fields" | "tooDeep"> {
  const tooDeep = Object.keys(given).filter((key) => !isJson(given[key]));
  if (tooDeep.length === 0) return { fields: given as JsonObject, tooDeep };
  const fields = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, tooDeep.includes(key) ? null : value]),
  );
  return { fields: fields as JsonObject, tooDeep };
}

function indexIn(fields: Record<string, unknown>, key: string): number | null {
  const value = getOwn(fields, key);
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
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
