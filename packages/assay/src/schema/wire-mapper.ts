import { z } from "zod";

import { isPlainObject, setOwn } from "../support/json.ts";
import { toSnakeCase } from "../support/names.ts";
import { shapeOf, wireNameOf } from "./free-form.ts";

/** Renames the keys of one schema's values between camelCase and snake_case. Free-form data passes through untouched. */
export interface WireMapper {
  toWire(value: unknown): unknown;
  /** A key that the schema does not know is left out and reported to `unknown`. */
  fromWire(value: unknown, unknown: UnknownKey[]): unknown;
  /** Where a path segment of the TypeScript form leads, and how the segment is spelt on the wire. */
  child(segment: PropertyKey, value: unknown): WireChild;
  /** The names an object of this schema may have. */
  names(value: unknown): readonly string[];
}

export interface WireChild {
  readonly mapper: WireMapper;
  readonly wire: PropertyKey;
}

export interface UnknownKey {
  /** Of the object that holds it, innermost last. */
  readonly path: PropertyKey[];
  readonly key: string;
  readonly known: readonly string[];
}

const untouched: WireMapper = {
  toWire: (value) => value,
  fromWire: (value) => value,
  child: (segment) => ({ mapper: untouched, wire: segment }),
  names: () => [],
};

const mappers = new WeakMap<z.core.$ZodType, WireMapper>();

/** The mapper of a schema, made once per schema. */
export function mapperOf(schema: z.core.$ZodType): WireMapper {
  const known = mappers.get(schema);
  if (known !== undefined) return known;
  const made = makeMapper(schema);
  mappers.set(schema, made);
  return made;
}

function makeMapper(schema: z.core.$ZodType): WireMapper {
  const shape = shapeOf(schema);
  if (shape?.kind === "free") return untouched;
  if (shape?.kind === "map") return mapMapper(shape.value);
  if (shape?.kind === "normalized") return normalizedMapper(shape.value, shape.normalize);
  if (schema instanceof z.ZodObject) return objectMapper(schema);
  if (schema instanceof z.ZodArray) return arrayMapper(schema.element);
  if (schema instanceof z.ZodUnion) return unionMapper(schema.options);
  if (schema instanceof z.ZodPipe) {
    return mapperOf(schema.in instanceof z.ZodTransform ? schema.out : schema.in);
  }
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

/** Reads a child. Paths are made only on the way back from a problem: rows without one cost nothing. */
function descend(
  mapper: WireMapper,
  value: unknown,
  segment: PropertyKey,
  unknown: UnknownKey[],
): unknown {
  const before = unknown.length;
  const result = mapper.fromWire(value, unknown);
  for (let index = before; index < unknown.length; index += 1)
    unknown[index]?.path.unshift(segment);
  return result;
}

function objectMapper(schema: z.ZodObject): WireMapper {
  const byName = new Map<string, { wire: string; mapper: WireMapper }>();
  const byWire = new Map<string, { name: string; mapper: WireMapper }>();
  for (const [name, field] of Object.entries(schema.shape)) {
    const wire = wireNameOf(name, field);
    const mapper = mapperOf(field);
    byName.set(name, { wire, mapper });
    byWire.set(wire, { name, mapper });
  }
  const names = [...byName.keys()];
  const { catchall } = schema.def;
  const isOpen = catchall !== undefined && !(catchall instanceof z.ZodNever);
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
    fromWire(value, unknown) {
      if (!isPlainObject(value)) return value;
      const result: Record<string, unknown> = {};
      for (const key of Object.keys(value)) {
        const field = byWire.get(key);
        if (field !== undefined) {
          setOwn(result, field.name, descend(field.mapper, value[key], key, unknown));
        } else if (isOpen) setOwn(result, key, value[key]);
        else unknown.push({ path: [], key, known: [...byWire.keys()] });
      }
      return result;
    },
    child: (segment) => byName.get(String(segment)) ?? { mapper: untouched, wire: segment },
    names: () => names,
  };
}

function arrayMapper(element: z.core.$ZodType): WireMapper {
  const item = mapperOf(element);
  if (item === untouched) return untouched;
  return {
    toWire: (value) => (Array.isArray(value) ? value.map((entry) => item.toWire(entry)) : value),
    fromWire: (value, unknown) =>
      Array.isArray(value)
        ? value.map((entry, index) => descend(item, entry, index, unknown))
        : value,
    child: (segment) => ({ mapper: item, wire: segment }),
    names: () => [],
  };
}

function mapMapper(schema: z.core.$ZodType): WireMapper {
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
    fromWire: (value, unknown) => mapped(value, (key, entry) => descend(item, entry, key, unknown)),
    child: (segment) => ({ mapper: item, wire: segment }),
    names: () => [],
  };
}

/** The short form is brought to the long one before its keys are read. */
function normalizedMapper(
  schema: z.core.$ZodType,
  normalize: (value: unknown) => unknown,
): WireMapper {
  const inner = mapperOf(schema);
  return {
    ...inner,
    fromWire: (value, unknown) => inner.fromWire(normalize(value), unknown),
  };
}

/** The member whose literals agree with the value, else the one that knows most of its keys. */
function unionMapper(options: readonly z.core.$ZodType[]): WireMapper {
  const choose = (value: unknown, spell: (name: string) => string): WireMapper => {
    if (Array.isArray(value)) {
      return mapperOf(options.find((option) => option instanceof z.ZodArray) ?? z.unknown());
    }
    if (!isPlainObject(value)) return untouched;
    let best = untouched;
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
  const asNamed = (value: unknown) => choose(value, (name) => name);
  return {
    toWire: (value) => asNamed(value).toWire(value),
    fromWire: (value, unknown) => choose(value, toSnakeCase).fromWire(value, unknown),
    child: (segment, value) => asNamed(value).child(segment, value),
    names: (value) => asNamed(value).names(value),
  };
}

function fitOf(
  option: z.core.$ZodType,
  value: Record<string, unknown>,
  spell: (name: string) => string,
): number {
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
