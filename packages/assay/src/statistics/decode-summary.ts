import { AssayError, messageOf } from "../errors/assay-error.ts";
import { fromWire } from "../schema/codec.ts";
import { type Summary, summarySchema, taskMetricValuesSchema } from "../schema/summary.ts";
import { describeKind, isPlainObject, setOwn } from "../support/json.ts";
import { decodeNonFinite } from "./summary-values.ts";

export interface DecodedSummary {
  readonly summary: Summary;
  /**
   * How the values by task were stored. `attempts`: as numbers alone, in an older format. `none`: not at all; whoever
   * needs them must not take the empty map for "nothing was measured".
   */
  readonly valuesForm: "values" | "attempts" | "none";
}

type Wire = Record<string, unknown>;

/**
 * Reads a `summary.json`, also of the generations that called the values by task `task_metric_attempts` or had none.
 * `source` names the document in errors; all of them are `ASSAY_BUNDLE_DAMAGED`.
 */
export function decodeSummary(wire: unknown, source = "summary.json"): DecodedSummary {
  if (!isPlainObject(wire)) throw damaged(source, `expected an object, not ${describeKind(wire)}`);
  const { task_metric_attempts: attempts, ...current } = wire;
  const values = current["task_metric_values"] ?? attempts;
  const valuesForm = formOf(current, attempts);
  const upgraded =
    valuesForm === "none"
      ? current
      : { ...current, task_metric_values: eachRecord(values, upgradeRecord) };
  const summary = parse(upgraded, source);
  checkErrorCount(summary, source);
  return { summary: decodeValues(summary, source), valuesForm };
}

/** Reads the values of one task of a `summary.json` of today. */
export function decodeTaskValues(
  wire: unknown,
  source: string,
): Summary["taskMetricValues"][string] {
  const decoding = { source, code: "ASSAY_BUNDLE_DAMAGED" } as const;
  const values = fromWire(taskMetricValuesSchema, wire, decoding);
  for (const records of Object.values(values)) {
    for (const [index, record] of records.entries()) {
      const { value, valueType } = record;
      // Most are what they are.
      if (typeof value !== "string" && fits(valueType, value)) continue;
      records[index] = decodeValue(record, source);
    }
  }
  return values;
}

function formOf(current: Wire, attempts: unknown): DecodedSummary["valuesForm"] {
  if ((current["task_metric_values"] ?? null) !== null) return "values";
  return attempts === undefined ? "none" : "attempts";
}

function damaged(source: string, problem: string, cause?: unknown): AssayError {
  return new AssayError("ASSAY_BUNDLE_DAMAGED", `${source}: ${problem}`, { cause });
}

function parse(wire: Wire, source: string): Summary {
  try {
    return fromWire(summarySchema, wire, { source, code: "ASSAY_BUNDLE_DAMAGED" });
  } catch (error) {
    if (AssayError.isInstance(error) && error.code === "ASSAY_BUNDLE_DAMAGED") throw error;
    throw new AssayError("ASSAY_BUNDLE_DAMAGED", messageOf(error), { cause: error });
  }
}

/** Applies `map` to each record of task → metric → records; what has another shape is left for the schema to refuse. */
function eachRecord(byTask: unknown, map: (record: unknown) => unknown): unknown {
  return eachValue(byTask, (byMetric) =>
    eachValue(byMetric, (records) => (Array.isArray(records) ? records.map(map) : records)),
  );
}

function eachValue(value: unknown, map: (item: unknown) => unknown): unknown {
  if (!isPlainObject(value)) return value;
  const result: Wire = {};
  for (const key of Object.keys(value)) setOwn(result, key, map(value[key]));
  return result;
}

/** Records without a type are of an older format: the type is read off the value. */
function upgradeRecord(record: unknown): unknown {
  if (!isPlainObject(record) || Object.hasOwn(record, "value_type")) return record;
  return { ...record, value_type: typeOf(record["value"]) };
}

function typeOf(value: unknown): string {
  if (value === null) return "missing";
  return typeof value === "string" && decodeNonFinite(value) === null ? "label" : "number";
}

function checkErrorCount({ errorCount, errorTrialIds }: Summary, source: string): void {
  let listed = 0;
  for (const ids of Object.values(errorTrialIds)) listed += ids.length;
  if (listed === errorCount) return;
  throw damaged(source, `error_count is ${errorCount}, but error_trial_ids lists ${listed}`);
}

function decodeValues(summary: Summary, source: string): Summary {
  const decoded = eachRecord(summary.taskMetricValues, (record) =>
    decodeValue(record as TaskValue, source),
  );
  return { ...summary, taskMetricValues: decoded as Summary["taskMetricValues"] };
}

type TaskValue = Summary["taskMetricValues"][string][string][number];

function decodeValue(record: TaskValue, source: string): TaskValue {
  const { value, valueType, trialId } = record;
  if (valueType === "number" && typeof value === "string") {
    const number = decodeNonFinite(value);
    if (number !== null) return { ...record, value: number };
  }
  if (fits(valueType, value)) return record;
  throw damaged(
    source,
    `the value of trial ${trialId} is ${describeKind(value)}, not of type "${valueType}"`,
  );
}

function fits(valueType: TaskValue["valueType"], value: TaskValue["value"]): boolean {
  if (valueType === "missing") return value === null;
  if (valueType === "label") return typeof value === "string";
  return typeof value === "number" || typeof value === "boolean";
}
