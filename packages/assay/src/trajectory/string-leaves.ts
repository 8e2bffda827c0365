import { isPlainObject } from "../support/json.ts";

/** All strings of JSON data, keys included. What is nested deeper than evidence may be is passed over. */
export function* stringLeaves(value: unknown, depth = 0): Generator<string> {
  if (typeof value === "string") yield value;
  else if (depth > 200) return;
  else if (Array.isArray(value)) for (const item of value) yield* stringLeaves(item, depth + 1);
  else if (isPlainObject(value)) {
    for (const key of Object.keys(value)) {
      yield key;
      yield* stringLeaves(value[key], depth + 1);
    }
  }
}
