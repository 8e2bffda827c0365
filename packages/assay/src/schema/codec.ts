import { z } from "zod";

import { AssayError } from "../errors/assay-error.ts";
import { isPlainObject, setOwn } from "../support/json.ts";
import { didYouMean, toSnakeCase } from "../support/names.ts";
import { shapeOf } from "./free-form.ts";

/**
 * The one codec between the two spellings: camelCase in TypeScript, snake_case in everything stored or written as YAML.
 * It walks the schemas once per schema and keeps the walk; free-form maps pass through untouched.
 */
interface Mapper {
  toWire(value: unknown): unknown;
  /** Renames known keys; a key that this schema does not know is put into `unknown`. */
  fromWire(value: unknown, path: readonly PropertyKey[], unknown: UnknownKey[]): unknown;
  /** The child that a path segment leads to, and how the segment is spelt on the wire. */
  child(segment: PropertyKey, value: unknown): { readonly mapper: Mapper; readonly wire: PropertyKey };
}

interface UnknownKey {
  readonly path: readonly PropertyKey[];
  readonly key: string;
  readonly known: readonly string[];
}

const untouched: Mapper = {
  toWire: (value) => value,
  fromWire: (value) => value,
  child: (segment) => ({ mapper: untouched, wire: segment }),
};

const mappers = new WeakMap<z.core.$ZodType, Mapper>();

function mapperOf(schema: z.core.$ZodType): Mapper {
  const known = mappers.get(schema);
  if (known !== undefined) return known;
  const made = makeMapper(schema);
  mappers.set(schema, made);
  return made;
}

function makeMapper(schema: z.core.$ZodType): Mapper {
  const shape = shapeOf(schema);
  if (shape?.kind === "free") return untouched;
  if (shape?.kind === "map") return mapMapper(shape.value);
  if (schema instanceof z.ZodObject) return objectMapper(schema);
  if (schema instanceof z.ZodArray) return arrayMapper(schema.element);
  if (schema instanceof z.ZodUnion) return unionMapper(schema.options);
  if (schema instanceof z.ZodPipe) return mapperOf(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault ||
    schema instanceof z.ZodReadonly
  ) {
    return mapperOf(schema.unwrap());
  }
  return untouched;
}

function objectMapper(schema: z.ZodObject): Mapper {
  const byName = new Map<string, { wire: string; mapper: Mapper }>();
  const byWire = new Map<string, { name: string; mapper: Mapper }>();
  for (const [name, field] of Object.entries(schema.shape)) {
    const wire = toSnakeCase(name);
    const mapper = mapperOf(field);
    byName.set(name, { wire, mapper });
    byWire.set(wire, { name, mapper });
  }
  const isOpen = schema.def.catchall !== undefined && !(schema.def.catchall instanceof z.ZodNever);
  return {
    toWire(value) {
      if (!isPlainObject(value)) return value;
      const result: Record<string, unknown> = {};
      for (const key of Object.keys(value)) {
        const field = byName.get(key);
        const item = value[key];
        if (item === undefined) continue;
        setOwn(result, field?.wire ?? key, field === undefined ? item : field.mapper.toWire(item));
      }
      return result;
    },
    fromWire(value, path, unknown) {
      if (!isPlainObject(value)) return value;
      const result: Record<string, unknown> = {};
      for (const key of Object.keys(value)) {
        const field = byWire.get(key);
        if (field !== undefined) setOwn(result, field.name, field.mapper.fromWire(value[key], [...path, key], unknown));
        else if (isOpen) setOwn(result, key, value[key]);
        else unknown.push({ path, key, known: [...byWire.keys()] });
      }
      return result;
    },
    child(segment) {
      const field = byName.get(String(segment));
      return field === undefined ? { mapper: untouched, wire: segment } : field;
    },
  };
}

function arrayMapper(element: z.core.$ZodType): Mapper {
  const item = mapperOf(element);
  if (item === untouched) return untouched;
  return {
    toWire: (value) => (Array.isArray(value) ? value.map((entry) => item.toWire(entry)) : value),
    fromWire: (value, path, unknown) =>
      Array.isArray(value) ? value.map((entry, index) => item.fromWire(entry, [...path, index], unknown)) : value,
    child: (segment) => ({ mapper: item, wire: segment }),
  };
}

function mapMapper(schema: z.core.$ZodType): Mapper {
  const item = mapperOf(schema);
  if (item === untouched) return untouched;
  const mapped = (value: unknown, map: (key: string, entry: unknown) => unknown) => {
    if (!isPlainObject(value)) return value;
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(value)) setOwn(result, key, map(key, value[key]));
    return result;
  };
  return {
    toWire: (value) => mapped(value, (_key, entry) => item.toWire(entry)),
    fromWire: (value, path, unknown) =>
      mapped(value, (key, entry) => item.fromWire(entry, [...path, key], unknown)),
    child: (segment) => ({ mapper: item, wire: segment }),
  };
}

/** Only object members of a union need a choice; the one whose literals agree with the value, else the one that knows most keys. */
function unionMapper(options: readonly z.core.$ZodType[]): Mapper {
  const choose = (value: unknown, spell: (name: string) => string): Mapper => {
    if (Array.isArray(value)) return mapperOf(options.find((option) => option instanceof z.ZodArray) ?? z.unknown());
    if (!isPlainObject(value)) return untouched;
    let best: Mapper = untouched;
    let bestFit = -1;
    for (const option of options) {
      const fit = fitOf(option, value, spell);
      if (fit > bestFit) {
        best = mapperOf(option);
        bestFit = fit;
      }
    }
    return best;
  };
  return {
    toWire: (value) => choose(value, (name) => name).toWire(value),
    fromWire: (value, path, unknown) => choose(value, toSnakeCase).fromWire(value, path, unknown),
    child: (segment, value) => choose(value, (name) => name).child(segment, value),
  };
}

function fitOf(option: z.core.$ZodType, value: Record<string, unknown>, spell: (name: string) => string): number {
  if (!(option instanceof z.ZodObject)) return shapeOf(option) === undefined ? -1 : 0;
  let fit = 0;
  for (const [name, field] of Object.entries(option.shape)) {
    const key = spell(name);
    if (!Object.hasOwn(value, key)) continue;
    if (field instanceof z.ZodLiteral) fit += field.values.has(value[key] as never) ? 1000 : -1000;
    else fit += 1;
  }
  return fit;
}

/** The wire form of a value that has been parsed with `schema`. */
export function toWire(schema: z.ZodType, value: unknown): unknown {
  return mapperOf(schema).toWire(value);
}

/** Where a value came from, for messages, and what a problem with it means. */
export interface DecodeSource {
  /** Named first in the message: a file and line, a flag, a suite. */
  readonly source: string;
  /** Names it more closely for one path, with the line where it lies. */
  readonly place?: (path: readonly PropertyKey[]) => string;
  readonly code?: "ASSAY_CONFIG_INVALID" | "ASSAY_BUNDLE_DAMAGED" | "ASSAY_TASK_INVALID" | "ASSAY_SUITE_INVALID";
}

/**
 * Reads the wire form. Unknown keys, camelCase ones included, are refused with a suggestion;
 * every problem is named by its snake_case path.
 */
export function fromWire<T extends z.ZodType>(schema: T, wire: unknown, source: DecodeSource): z.output<T> {
  const mapper = mapperOf(schema);
  const unknown: UnknownKey[] = [];
  const value = mapper.fromWire(wire, [], unknown);
  const [first] = unknown;
  if (first !== undefined) throw unknownKey(first, source);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw problemsOf(parsed.error.issues, source, (path) => wirePath(mapper, value, path));
}

/** Reads the TypeScript form, with the same messages in camelCase. */
export function parseValue<T extends z.ZodType>(schema: T, value: unknown, source: DecodeSource): z.output<T> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const unrecognized = findUnrecognized(parsed.error.issues);
  if (unrecognized !== null) {
    const known = knownKeysAt(schema, unrecognized.path);
    throw unknownKey({ path: unrecognized.path, key: unrecognized.key, known }, source);
  }
  throw problemsOf(parsed.error.issues, source, (path) => path);
}

function findUnrecognized(issues: readonly z.core.$ZodIssue[]) {
  for (const issue of issues) {
    const [key] = issue.code === "unrecognized_keys" ? issue.keys : [];
    if (key !== undefined) return { path: issue.path, key };
  }
  return null;
}

function knownKeysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  let at: z.core.$ZodType = schema;
  for (const segment of path) at = innerOf(at, segment);
  at = unwrapped(at);
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  let at = schema;
  while (
    at instanceof z.ZodOptional ||
    at instanceof z.ZodNullable ||
    at instanceof z.ZodDefault ||
    at instanceof z.ZodPrefault ||
    at instanceof z.ZodReadonly ||
    (at instanceof z.ZodPipe && shapeOf(at) === undefined)
  ) {
    at = at instanceof z.ZodPipe ? (at.in instanceof z.ZodTransform ? at.out : at.in) : at.unwrap();
  }
  return at;
}

function innerOf(schema: z.core.$ZodType, segment: PropertyKey): z.core.$ZodType {
  const at = unwrapped(schema);
  const shape = shapeOf(at);
  if (shape?.kind === "map") return shape.value;
  if (at instanceof z.ZodArray) return at.element;
  if (at instanceof z.ZodObject) return (at.shape as Record<string, z.core.$ZodType>)[String(segment)] ?? z.unknown();
  return z.unknown();
}

function unknownKey({ path, key, known }: UnknownKey, { source, place }: DecodeSource): AssayError {
  const at = formatPath([...path, key]);
  const hint = didYouMean(key, known);
  const list = hint === "" && known.length > 0 ? `; known here: ${known.join(", ")}` : "";
  return new AssayError("ASSAY_CONFIG_UNKNOWN_KEY", `${place?.([...path, key]) ?? source}: unknown key "${at}"${hint}${list}`, {
    data: { key: at },
  });
}

function problemsOf(
  issues: readonly z.core.$ZodIssue[],
  { source, place, code = "ASSAY_CONFIG_INVALID" }: DecodeSource,
  spell: (path: readonly PropertyKey[]) => readonly PropertyKey[],
): AssayError {
  const shown = issues.slice(0, 5).map((issue) => {
    const at = formatPath(spell(issue.path));
    return at === "" ? issue.message : `${at}: ${issue.message}`;
  });
  const more = issues.length > 5 ? ` (and ${issues.length - 5} more)` : "";
  const from = place?.(spell(issues[0]?.path ?? [])) ?? source;
  return new AssayError(code, `${from}: ${shown.join("; ")}${more}`);
}

function wirePath(mapper: Mapper, value: unknown, path: readonly PropertyKey[]): PropertyKey[] {
  let at = mapper;
  let here = value;
  const result: PropertyKey[] = [];
  for (const segment of path) {
    const { mapper: next, wire } = at.child(segment, here);
    result.push(wire);
    at = next;
    here = isPlainObject(here) || Array.isArray(here) ? (here as Record<PropertyKey, unknown>)[segment] : undefined;
  }
  return result;
}

/** `inputs.files["a.txt"][2]` */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const segment of path) {
    if (typeof segment === "number") text += `[${segment}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(String(segment))) text += text === "" ? String(segment) : `.${String(segment)}`;
    else text += `[${JSON.stringify(String(segment))}]`;
  }
  return text;
}
