import type { Metric, MetricOutputKind, MetricOutputSpec } from "../../contracts/metric.ts";
import { type AssayError, messageOf } from "../../errors/assay-error.ts";
import type { ScoreOutput } from "../../schema/score.ts";
import { cutText } from "../../support/cut-text.ts";
import {
  copyPlain,
  describeKind,
  getOwn,
  isJson,
  isPlainObject,
  type JsonValue,
  setOwn,
} from "../../support/json.ts";
import { didYouMean } from "../../support/names.ts";
import { metricFailure } from "./metric-failure.ts";

export interface CoercedResult {
  /** In the order of the declaration, each value of its declared kind. */
  readonly outputs: ScoreOutput[];
  readonly unscored: readonly { readonly name: string; readonly reason: UnscoredReason }[];
}

/** `NO_VALUE`: the metric gave null. `NON_FINITE`: it gave NaN or an infinity. */
export type UnscoredReason = "NO_VALUE" | "NON_FINITE";

type Coerced = { readonly value: JsonValue } | { readonly reason: UnscoredReason };

/**
 * What is stored of a metric's result: every declared output once, coerced to its kind.
 * Accepts outputs as a map, or as a list of `{ name, value }`.
 * Throws `ASSAY_METRIC_FAILED` for duplicate, missing and undeclared names and for values that do not fit.
 */
export function coerceResult(
  metric: Pick<Metric, "type" | "outputs">,
  result: unknown,
): CoercedResult {
  const values = outputValues(metric.type, result);
  if (!isAsDeclared(metric, values)) {
    refuseMissing(metric, values);
    refuseUndeclared(metric, values);
  }
  const outputs: ScoreOutput[] = [];
  const unscored: { name: string; reason: UnscoredReason }[] = [];
  for (const spec of metric.outputs) {
    const coerced = coerceOutput(metric.type, spec, getOwn(values, spec.name));
    if ("value" in coerced) outputs.push({ name: spec.name, value: coerced.value });
    else unscored.push({ name: spec.name, reason: coerced.reason });
  }
  return { outputs, unscored };
}

function failed(type: string, problem: string, cause?: unknown): AssayError {
  return metricFailure(type, ` ${problem}`, cause === undefined ? {} : { cause });
}

/** By the names of the outputs; undefined says that none was given. */
type Values = Readonly<Record<string, unknown>>;

function outputValues(type: string, result: unknown): Values {
  const outputs = isPlainObject(result) ? getOwn(result, "outputs") : undefined;
  if (Array.isArray(outputs)) return fromList(type, outputs);
  if (isPlainObject(outputs)) return outputs;
  const given = isPlainObject(result) ? `outputs: ${describeKind(outputs)}` : describeKind(result);
  throw failed(type, `gave ${given} instead of { outputs: { <name>: <value> } }`);
}

function fromList(type: string, outputs: readonly unknown[]): Values {
  const values: Record<string, unknown> = {};
  for (const output of outputs) {
    const name = isPlainObject(output) ? getOwn(output, "name") : undefined;
    if (typeof name !== "string") throw failed(type, "gave an output without a name");
    if (isGiven(values, name)) throw failed(type, `gave the output "${name}" twice`);
    setOwn(values, name, getOwn(output as object, "value"));
  }
  return values;
}

function isGiven(values: Values, name: string): boolean {
  return getOwn(values, name) !== undefined;
}

function givenNames(values: Values): readonly string[] {
  return Object.keys(values).filter((name) => values[name] !== undefined);
}

/** Names are declared once each. */
function isAsDeclared({ outputs }: Pick<Metric, "outputs">, values: Values): boolean {
  let given = 0;
  for (const name in values) if (values[name] !== undefined) given += 1;
  if (given !== outputs.length) return false;
  for (const { name } of outputs) if (!isGiven(values, name)) return false;
  return true;
}

function refuseMissing({ type, outputs }: Pick<Metric, "type" | "outputs">, values: Values): void {
  const missing = outputs.map(({ name }) => name).filter((name) => !isGiven(values, name));
  if (missing.length > 0)
    throw failed(type, `gave no value for ${quotedList(missing)}, which it declares`);
}

function refuseUndeclared(
  { type, outputs }: Pick<Metric, "type" | "outputs">,
  values: Values,
): void {
  const declared = new Set(outputs.map(({ name }) => name));
  const undeclared = givenNames(values).filter((name) => !declared.has(name));
  const [first] = undeclared;
  if (first === undefined) return;
  const hint = undeclared.length === 1 ? didYouMean(first, [...declared]) : "";
  throw failed(type, `gave ${quotedList(undeclared)}, which it does not declare${hint}`);
}

function quotedList(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

function coerceOutput(type: string, spec: MetricOutputSpec, value: unknown): Coerced {
  if (value === null) return { reason: "NO_VALUE" };
  if (spec.kind === "model") return { value: parseModel(type, spec, value) };
  const coerced = coercions[spec.kind](value);
  if (coerced !== null) {
    const isStrange = typeof coerced === "number" && !Number.isFinite(coerced);
    return isStrange ? { reason: "NON_FINITE" } : { value: coerced };
  }
  const given =
    typeof value === "string" ? JSON.stringify(cutText(value, 80)) : describeValue(value);
  throw failed(type, `gave ${given} for "${spec.name}", which is declared ${spec.kind}`);
}

function describeValue(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean"
    ? String(value)
    : describeKind(value);
}

/** To the declared kind, or null. A number that is not finite is passed on: it is unscored, whatever the kind. */
const coercions: Readonly<
  Record<Exclude<MetricOutputKind, "model">, (value: unknown) => number | boolean | string | null>
> = {
  continuous: toNumber,
  discrete: (value) => {
    const number = toNumber(value);
    return number === null || (Number.isFinite(number) && !Number.isInteger(number))
      ? null
      : number;
  },
  boolean: toBoolean,
  label: (value) => (typeof value === "string" ? value : null),
};

const decimal = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;
const nonFinite = /^[-+]?(?:nan|inf(?:inity)?)$/i;

function toNumber(value: unknown): number | null {
  // Adding 0 turns -0, which JSON text does not keep apart, into 0.
  if (typeof value === "number") return value + 0;
  if (typeof value === "boolean") return value ? 1 : 0;
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (decimal.test(text)) return Number(text) + 0;
  return nonFinite.test(text) ? Number.NaN : null;
}

const words: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  yes: true,
  y: true,
  on: true,
  "1": true,
  false: false,
  f: false,
  no: false,
  n: false,
  off: false,
  "0": false,
};

function toBoolean(value: unknown): boolean | number | null {
  if (typeof value === "boolean") return value;
  if (typeof value === "string")
    return (getOwn(words, value.toLowerCase()) as boolean | undefined) ?? null;
  if (typeof value !== "number") return null;
  if (!Number.isFinite(value)) return value;
  return value === 1 || value === 0 ? value === 1 : null;
}

function parseModel(type: string, { name, model }: MetricOutputSpec, value: unknown): JsonValue {
  let parsed: unknown = value;
  try {
    parsed = copyPlain(model === undefined ? value : model.parse(value));
  } catch (cause) {
    const problem = `gave a value for "${name}" that is no ${model?.name ?? "model"}`;
    throw failed(type, `${problem}: ${messageOf(cause)}`, cause);
  }
  if (!isPlainObject(parsed) || !isJson(parsed))
    throw failed(type, `gave ${describeKind(parsed)} for "${name}", not an object of JSON data`);
  return parsed;
}
