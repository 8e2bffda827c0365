import type { z } from "zod";

import { isPlainObject, setOwn } from "../support/json.ts";
import { toSnakeCase } from "../support/names.ts";
import { definitionOf } from "../support/schema-definition.ts";
import { shapeOf, wireNameOf } from "./shape.ts";

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
  const def = definitionOf(schema);
  switch (def.type) {
    case "object":
      return fieldsMapper(def.shape, isOpen(def));
    case "array":
      return arrayMapper(def.element);
    case "union":
      return unionMapper(def.options);
    case "pipe":
      return mapperOf(definitionOf(def.in).type === "transform" ? def.out : def.in);
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "readonly":
      return mapperOf(def.innerType);
    default:
      return untouched;
  }
}

function isOpen({ catchall }: z.core.$ZodObjectDef): boolean {
  return catchall !== undefined && definitionOf(catchall).type !== "never";
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

/** Of an object with these fields; what an open one has besides is carried as it is. */
export function fieldsMapper(fields: z.core.$ZodShape, isOpen: boolean): WireMapper {
  const byName = new Map<string, { wire: string; mapper: WireMapper }>();
  const byWire = new Map<string, { name: string; mapper: WireMapper }>();
  for (const [name, field] of Object.entries(fields)) {
    const wire = wireNameOf(name, field);
    const mapper = mapperOf(field);
    byName.set(name, { wire, mapper });
    byWire.set(wire, { name, mapper });
  }
  const names = [...byName.keys()];
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
      const list = options.find((option) => definitionOf(option).type === "array");
      return list === undefined ? untouched : mapperOf(list);
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
  const def = definitionOf(option);
  if (def.type !== "object") return shapeOf(option) === undefined ? -1 : 0;
  let fit = 0;
  for (const [name, field] of Object.entries(def.shape)) {
    const key = spell(name);
    if (!Object.hasOwn(value, key)) continue;
    const literal = definitionOf(field);
    if (literal.type === "literal")
      fit += literal.values.includes(value[key] as never) ? 1000 : -1000;
    else fit += 1;
  }
  return fit;
}
