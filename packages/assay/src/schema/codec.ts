import type { z } from "zod";

import { isPlainObject } from "../support/json.ts";
import { type DecodeSource, issuesOf, problemsError, unknownKeyError } from "./decode-problems.ts";
import { quickDecode, unsure } from "./quick-decode.ts";
import { mapperOf, type UnknownKey, type WireMapper } from "./wire-mapper.ts";

// The one codec between the two spellings: camelCase in TypeScript, snake_case in everything stored or written as YAML.

/** The wire form of a value that has been parsed with `schema`. */
export function toWire(schema: z.ZodType, value: unknown): unknown {
  return mapperOf(schema).toWire(value);
}

/**
 * Reads the wire form. Unknown keys, camelCase ones included, are refused with a suggestion;
 * every problem is named by its snake_case path.
 */
export function fromWire<T extends z.ZodType>(
  schema: T,
  wire: unknown,
  source: DecodeSource,
): z.output<T> {
  const quick = quickDecode(schema, wire);
  if (quick !== unsure) return quick as z.output<T>;
  const mapper = mapperOf(schema);
  const unknown: UnknownKey[] = [];
  const value = mapper.fromWire(wire, unknown);
  const [first] = unknown;
  if (first !== undefined) throw unknownKeyError(first, source);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw problemsError(issuesOf(parsed.error), source, (path) => walk(mapper, value, path).wire);
}

/** Reads the TypeScript form, with the same messages in camelCase. */
export function parseValue<T extends z.ZodType>(
  schema: T,
  value: unknown,
  source: DecodeSource,
): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error);
  const unrecognized = findUnrecognized(issues);
  if (unrecognized === null) throw problemsError(issues, source, (path) => path);
  const { mapper, value: holder } = walk(mapperOf(schema), value, unrecognized.path);
  throw unknownKeyError({ ...unrecognized, known: mapper.names(holder) }, source);
}

function findUnrecognized(issues: readonly z.core.$ZodIssue[]) {
  for (const issue of issues) {
    const [key] = issue.code === "unrecognized_keys" ? issue.keys : [];
    if (key !== undefined) return { path: issue.path, key };
  }
  return null;
}

/** Follows a path of the TypeScript form down a value. */
function walk(mapper: WireMapper, value: unknown, path: readonly PropertyKey[]) {
  let at = { mapper, value };
  const wire: PropertyKey[] = [];
  for (const segment of path) {
    const child = at.mapper.child(segment, at.value);
    wire.push(child.wire);
    at = { mapper: child.mapper, value: childOf(at.value, segment) };
  }
  return { ...at, wire };
}

function childOf(value: unknown, segment: PropertyKey): unknown {
  const isContainer = isPlainObject(value) || Array.isArray(value);
  return isContainer ? (value as Record<PropertyKey, unknown>)[segment] : undefined;
}
