import type { OtlpAttribute } from "../schema/otlp.ts";
import { isJson, isPlainObject, type JsonValue, parseJson, setOwn } from "../support/json.ts";

export type Attributes = ReadonlyMap<string, JsonValue>;

/** Attributes by name; of a name that stands there twice the last. */
export function attributeMap(attributes: readonly OtlpAttribute[]): Attributes {
  return new Map(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

/** A value of OTLP (`{ stringValue }`, `{ kvlistValue }`, ...) as plain data; null for what is none. */
function plainValue(value: unknown, depth = 0): JsonValue {
  if (!isPlainObject(value) || depth > 100) return null;
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue } = value;
  if (typeof stringValue === "string") return stringValue;
  if (typeof boolValue === "boolean") return boolValue;
  // 64 bits are written as a string; a number of JavaScript holds those that are met in counts.
  if (typeof intValue === "string" && /^-?\d+$/.test(intValue)) return Number(intValue);
  if (typeof intValue === "number") return intValue;
  if (typeof doubleValue === "number") return doubleValue;
  if (isPlainObject(arrayValue))
    return listOf(arrayValue).map((item) => plainValue(item, depth + 1));
  if (!isPlainObject(kvlistValue)) return null;
  const object: Record<string, JsonValue> = {};
  for (const pair of listOf(kvlistValue)) {
    if (isPlainObject(pair) && typeof pair["key"] === "string")
      setOwn(object, pair["key"], plainValue(pair["value"], depth + 1));
  }
  return object;
}

function listOf({ values }: Record<string, unknown>): readonly unknown[] {
  return Array.isArray(values) ? values : [];
}

/** The first of these attributes that is a text. */
export function textOf(attributes: Attributes, names: readonly string[]): string | null {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === "string") return value;
  }
  return null;
}

/** The first of these attributes that is a count. */
export function countOf(attributes: Attributes, names: readonly string[]): number | null {
  for (const name of names) {
    const value = attributes.get(name);
    if (typeof value === "number" && Number.isSafeInteger(value) && value >= 0) return value;
  }
  return null;
}

/** The first of these attributes that is there. */
export function firstValue(
  attributes: Attributes,
  names: readonly string[],
): JsonValue | undefined {
  for (const name of names) {
    const value = attributes.get(name);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/** Structured data, which many producers write as JSON text; a text that is none stays a text. */
export function unpacked(value: JsonValue): JsonValue {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    const parsed = parseJson(value, "attribute");
    return isJson(parsed) ? parsed : value;
  } catch {
    return value;
  }
}

/**
 * What stands under a prefix as `prefix.0.message.content`, put back into objects by number.
 */
export function numbered(attributes: Attributes, prefix: string): Attributes[] {
  const found = new Map<number, Map<string, JsonValue>>();
  for (const [name, value] of attributes) {
    if (!name.startsWith(`${prefix}.`)) continue;
    const rest = /^(\d{1,6})\.(.+)$/.exec(name.slice(prefix.length + 1));
    if (rest === null) continue;
    const index = Number(rest[1]);
    const fields = found.get(index) ?? new Map<string, JsonValue>();
    found.set(index, fields.set(rest[2] ?? "", value));
  }
  return [...found].sort(([a], [b]) => a - b).map(([, fields]) => fields);
}
