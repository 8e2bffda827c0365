import { AssayError, messageOf } from "../errors/assay-error.ts";

export type JsonPrimitive = string | number | boolean | null;
export type JsonValue = JsonPrimitive | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

// As they were when Assay was loaded: an agent in this process may put others in their place.
const { parse, stringify } = JSON;

/** Parses JSON text; `__proto__` stays an ordinary key. `source` names the text in the error. */
export function parseJson(text: string, source: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (cause) {
    // The message quotes the text, line breaks and all.
    const reason = messageOf(cause).replaceAll(/\s+/gu, " ");
    throw new AssayError("ASSAY_CONFIG_INVALID", `${source} is not JSON: ${reason}`, { cause });
  }
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === null ||
    prototype === Object.prototype ||
    Object.getPrototypeOf(prototype) === null
  );
}

/** Nothing that is deeper is JSON data for Assay; a circle is that deep. */
const maxDepth = 200;

/** Why a value cannot be stored as JSON, as a path and a reason, or null when it can. Non-finite numbers can: see `nonFiniteToken`. */
export function whyNotJson(value: unknown, path = "", depth = 0): string | null {
  if (
    value === null ||
    typeof value === "string" ||
    typeof value === "boolean" ||
    typeof value === "number"
  )
    return null;
  if (depth > maxDepth) return `${path || "value"} is nested too deep`;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const reason = whyNotJson(value[index], `${path}[${index}]`, depth + 1);
      if (reason !== null) return reason;
    }
    return null;
  }
  if (!isPlainObject(value)) return `${path || "value"} is ${describeKind(value)}`;
  for (const key of Object.keys(value)) {
    const reason = whyNotJson(value[key], path === "" ? key : `${path}.${key}`, depth + 1);
    if (reason !== null) return reason;
  }
  return null;
}

export function isJson(value: unknown): value is JsonValue {
  return whyNotJson(value) === null;
}

/** The kind of a value in words, for messages: `a string`, `an array`, `an instance of Foo`. */
export function describeKind(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "undefined";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") {
    const name = Object.getPrototypeOf(value)?.constructor?.name as string | undefined;
    return name === undefined || name === "Object" ? "an object" : `an instance of ${name}`;
  }
  return `a ${typeof value}`;
}

/** `NaN`, `Infinity`, `-Infinity` as the strings that strict JSON can hold. */
export function nonFiniteToken(value: number): "NaN" | "Infinity" | "-Infinity" | null {
  if (Number.isFinite(value)) return null;
  if (Number.isNaN(value)) return "NaN";
  return value > 0 ? "Infinity" : "-Infinity";
}

function replaceNonFinite(_key: string, value: unknown): unknown {
  return typeof value === "number" ? (nonFiniteToken(value) ?? value) : value;
}

/** One row of a JSONL file: strict JSON without a newline, lone surrogates escaped. */
export function formatRow(value: unknown): string {
  // A look of our own costs a fifth of what a replacer does.
  return holdsNonFinite(value) ? stringify(value, replaceNonFinite) : stringify(value);
}

/** True as well for what is too deep to look at: it may be a circle, which `JSON.stringify` tells by name. */
function holdsNonFinite(value: unknown, depth = 0): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null) return false;
  if (depth > maxDepth) return true;
  for (const key in value) {
    if (holdsNonFinite((value as Record<string, unknown>)[key], depth + 1)) return true;
  }
  return false;
}

/** A JSON document: sorted keys, two spaces, newline at the end. */
export function formatDocument(value: unknown): string {
  return `${stringify(sortKeys(value), replaceNonFinite, 2)}\n`;
}

/**
 * The text of `formatDocument({ ...document, [key]: [...items] })` in pieces: of the items only one is held at a time, so
 * that a list may be longer than what fits into memory.
 */
export function* documentWithList(
  document: object,
  key: string,
  items: Iterable<unknown>,
): Generator<string> {
  const name = `\n  ${stringify(key)}: [`;
  // Nowhere else: a newline is never data, and only members of the document itself stand so far left.
  const [head = "", tail = ""] = formatDocument({ ...document, [key]: [] }).split(`${name}]`);
  yield head + name;
  let isEmpty = true;
  for (const item of items) {
    const text = formatDocument(item).trimEnd().replaceAll("\n", "\n    ");
    yield `${isEmpty ? "" : ","}\n    ${text}`;
    isEmpty = false;
  }
  yield `${isEmpty ? "" : "\n  "}]${tail}`;
}

/** The same data with the keys of every object in code-unit order. `__proto__` stays an own key. */
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isPlainObject(value)) return value;
  const sorted: Record<string, unknown> = {};
  for (const key of Object.keys(value).sort()) setOwn(sorted, key, sortKeys(value[key]));
  return sorted;
}

/**
 * A copy all the way down; what is neither an array nor a plain object is shared, and so is what is deeper than JSON data
 * may be. Of the value each part is read once and no method is called, so that what is found out about the copy holds,
 * whatever the value answers when it is asked again.
 */
export function copyPlain<T>(value: T): T {
  return copyOf(value, 0) as T;
}

function copyOf(value: unknown, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > maxDepth) return value;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    const { length } = value;
    for (let index = 0; index < length; index += 1) items.push(copyOf(value[index], depth + 1));
    return items;
  }
  if (!isPlainObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copyOf(value[key], depth + 1));
  return copy;
}

/** Freezes arrays and plain objects all the way down. What is frozen already is taken to be so throughout. */
export function freezePlain<T>(value: T): T {
  if (!(Array.isArray(value) || isPlainObject(value)) || Object.isFrozen(value)) return value;
  for (const item of Object.values(value as object)) freezePlain(item);
  return Object.freeze(value);
}

/** Sets an own property, also one called `__proto__`. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === "__proto__") {
    Object.defineProperty(target, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
    return;
  }
  (target as Record<string, unknown>)[key] = value;
}

/** Reads an own property only: inherited names such as `constructor` are absent. */
export function getOwn(target: object, key: string): unknown {
  return Object.hasOwn(target, key) ? (target as Record<string, unknown>)[key] : undefined;
}
