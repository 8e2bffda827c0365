import type { z } from "zod";

import type { AssayError } from "../errors/assay-error.ts";
import { copyPlain, isPlainObject } from "../support/json.ts";
import { type DecodeSource, issuesOf, problemsError, unknownKeyError } from "./decode-problems.ts";
import { quickCopy, quickDecode, unsure } from "./quick-decode.ts";
import { type Checked, type Fields, type FieldValues, strictFields } from "./strict-fields.ts";
import { fieldsMapper, mapperOf, type UnknownKey, type WireMapper } from "./wire-mapper.ts";

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
  return readWire({ mapper: mapperOf(schema), check: schema }, wire, source) as z.output<T>;
}

/** Reads the TypeScript form, with the same messages in camelCase. It shares no free-form data with what was given. */
export function parseCopy<T extends z.ZodType>(
  schema: T,
  value: unknown,
  source: DecodeSource,
): z.output<T> {
  const quick = quickCopy(schema, value);
  if (quick !== unsure) return quick as z.output<T>;
  return parseValue(schema, copyPlain(value), source);
}

/** Reads the TypeScript form, with the same messages in camelCase. */
export function parseValue<T extends z.ZodType>(
  schema: T,
  value: unknown,
  source: DecodeSource,
): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw valueError(mapperOf(schema), value, { issues: issuesOf(parsed.error), source });
}

/** Reads the wire form of a strict object with these fields. */
export function fieldsFromWire(fields: Fields, wire: unknown, source: DecodeSource): FieldValues {
  const form = { mapper: fieldsMapper(fields, false), check: strictFields(fields) };
  return readWire(form, wire, source) as FieldValues;
}

/** Reads the TypeScript form of a strict object with these fields. */
export function parseFields(fields: Fields, value: unknown, source: DecodeSource): FieldValues {
  const parsed = strictFields(fields).safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error);
  throw valueError(fieldsMapper(fields, false), value, { issues, source });
}

interface WireForm {
  readonly mapper: WireMapper;
  readonly check: { safeParse(value: unknown): Checked<unknown> };
}

function readWire({ mapper, check }: WireForm, wire: unknown, source: DecodeSource): unknown {
  const unknown: UnknownKey[] = [];
  const value = mapper.fromWire(wire, unknown);
  const [first] = unknown;
  if (first !== undefined) throw unknownKeyError(first, source);
  const parsed = check.safeParse(value);
  if (parsed.success) return parsed.data;
  throw problemsError(issuesOf(parsed.error), source, (path) => walk(mapper, value, path).wire);
}

interface Problems {
  readonly issues: readonly z.core.$ZodIssue[];
  readonly source: DecodeSource;
}

function valueError(root: WireMapper, value: unknown, { issues, source }: Problems): AssayError {
  const unrecognized = findUnrecognized(issues);
  if (unrecognized === null) return problemsError(issues, source, (path) => path);
  const { mapper, value: holder } = walk(root, value, unrecognized.path);
  return unknownKeyError({ ...unrecognized, known: mapper.names(holder) }, source);
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
