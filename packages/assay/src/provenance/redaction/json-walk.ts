import { FreeNames } from "../../support/free-names.ts";
import { isPlainObject, type JsonObject, type JsonValue, setOwn } from "../../support/json.ts";

/** What becomes of a string or a number, with the name it stands under; of a name itself. */
export type Scalar = (value: string | number, key: string | null) => string | number;

/** The same data with each string, number and key replaced by what `scalar` makes of it; the same object when nothing changed. */
export function redactJson(value: JsonValue, scalar: Scalar, key: string | null = null): JsonValue {
  if (typeof value === "string" || typeof value === "number") return scalar(value, key);
  if (typeof value !== "object" || value === null) return value;
  if (isPlainObject(value)) return redactObject(value, scalar);
  const items = value as readonly JsonValue[];
  let copy: JsonValue[] | null = null;
  for (const [index, item] of items.entries()) {
    const clean = redactJson(item, scalar, key);
    if (!Object.is(clean, item)) {
      copy ??= [...items];
      copy[index] = clean;
    }
  }
  return copy ?? value;
}

function redactObject(value: JsonObject, scalar: Scalar): JsonObject {
  const keys = Object.keys(value);
  const cleanKeys = keys.map((key) => String(scalar(key, null)));
  let isChanged = false;
  const items = keys.map((key, index) => {
    const item = value[key] as JsonValue;
    const clean = redactJson(item, scalar, key);
    isChanged ||= !Object.is(clean, item) || cleanKeys[index] !== key;
    return clean;
  });
  if (!isChanged) return value;
  // Two keys may become the same text: both values are kept.
  const names = new FreeNames(keys.filter((key, index) => cleanKeys[index] === key));
  const result: Record<string, JsonValue> = {};
  for (const [index, key] of keys.entries()) {
    const clean = cleanKeys[index] ?? key;
    setOwn(result, clean === key ? key : names.take(clean), items[index]);
  }
  return result;
}
