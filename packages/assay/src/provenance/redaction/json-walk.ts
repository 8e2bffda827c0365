import { FreeNames } from "../../support/free-names.ts";
import { isPlainObject, type JsonObject, type JsonValue, setOwn } from "../../support/json.ts";

/** What becomes of a string or a number, with the name it stands under; of a name itself. */
export type Scalar = (value: string | number, key: string | null) => string | number;

export interface Walk {
  readonly scalar: Scalar;
  /** Told of the values of a list or an object of which some were changed: what becomes of them in view of each other. */
  readonly together: (
    given: readonly JsonValue[],
    clean: readonly JsonValue[],
  ) => readonly JsonValue[];
}

/** The same data with each string, number and key replaced by what `walk` makes of it; the same object when nothing changed. */
export function redactJson(value: JsonValue, walk: Walk, key: string | null = null): JsonValue {
  if (typeof value === "string" || typeof value === "number") return walk.scalar(value, key);
  if (typeof value !== "object" || value === null) return value;
  if (isPlainObject(value)) return redactObject(value, walk);
  const items = value as readonly JsonValue[];
  let copy: JsonValue[] | null = null;
  let before: JsonValue = null;
  for (const [index, item] of items.entries()) {
    // In a list of arguments what follows a flag is its value.
    const clean = redactJson(item, walk, isFlag(before) ? before : key);
    before = item;
    if (!Object.is(clean, item)) {
      copy ??= [...items];
      copy[index] = clean;
    }
  }
  return copy === null ? value : walk.together(items, copy);
}

function isFlag(value: JsonValue): value is string {
  return typeof value === "string" && /^--?[A-Za-z][\w.-]{0,60}$/.test(value);
}

function redactObject(value: JsonObject, walk: Walk): JsonObject {
  const keys = Object.keys(value);
  const cleanKeys = keys.map((key) => String(walk.scalar(key, null)));
  let isChanged = false;
  const given = keys.map((key) => value[key] as JsonValue);
  const clean = given.map((item, index) => {
    const key = keys[index] ?? "";
    const cleanItem = redactJson(item, walk, key);
    isChanged ||= !Object.is(cleanItem, item) || cleanKeys[index] !== key;
    return cleanItem;
  });
  if (!isChanged) return value;
  const items = walk.together(given, clean);
  // Two keys may become the same text: both values are kept.
  const names = new FreeNames(keys.filter((key, index) => cleanKeys[index] === key));
  const result: Record<string, JsonValue> = {};
  for (const [index, key] of keys.entries()) {
    const cleanKey = cleanKeys[index] ?? key;
    setOwn(result, cleanKey === key ? key : names.take(cleanKey), items[index]);
  }
  return result;
}
