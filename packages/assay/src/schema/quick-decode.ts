import { z } from "zod";

import { isPlainObject, setOwn } from "../support/json.ts";
import { shapeOf, wireNameOf } from "./free-form.ts";

/** What a quick decoder gives for everything that it is not sure about. */
export const unsure: unique symbol = Symbol("unsure");

type Decode = (value: unknown) => unknown;

/**
 * Reads the wire form of a record that has nothing wrong, in one step and several times as fast as renaming and then
 * parsing. Of anything else it is unsure: the long way says what is wrong.
 */
export function quickDecode(schema: z.core.$ZodType, wire: unknown): unknown {
  return decoderOf(schema)(wire);
}

const decoders = new WeakMap<z.core.$ZodType, Decode>();

function decoderOf(schema: z.core.$ZodType): Decode {
  const known = decoders.get(schema);
  if (known !== undefined) return known;
  const made = makeDecoder(schema);
  decoders.set(schema, made);
  return made;
}

const giveUp: Decode = () => unsure;

function makeDecoder(schema: z.core.$ZodType): Decode {
  const shape = shapeOf(schema);
  if (shape?.kind === "free") return leaf(schema);
  if (shape?.kind === "map") return mapDecoder(decoderOf(shape.value));
  if (shape?.kind === "normalized") {
    const decode = decoderOf(shape.value);
    return (value) => decode(shape.normalize(value));
  }
  if (schema instanceof z.ZodObject) return checked(schema, objectDecoder(schema));
  if (schema instanceof z.ZodArray) return checked(schema, arrayDecoder(decoderOf(schema.element)));
  if (schema instanceof z.ZodUnion)
    return checked(schema, unionDecoder(schema.options.map(decoderOf)));
  if (schema instanceof z.ZodNullable) {
    const decode = decoderOf(schema.unwrap());
    return (value) => (value === null ? null : decode(value));
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    const decode = decoderOf(schema.unwrap());
    return (value) => (value === undefined ? unsure : decode(value));
  }
  return isLeaf(schema) ? leaf(schema) : giveUp;
}

function isLeaf(schema: z.core.$ZodType): boolean {
  return (
    schema instanceof z.ZodString ||
    schema instanceof z.ZodNumber ||
    schema instanceof z.ZodBoolean ||
    schema instanceof z.ZodEnum ||
    schema instanceof z.ZodLiteral ||
    schema instanceof z.ZodNull
  );
}

function leaf(schema: z.core.$ZodType): Decode {
  if (schema instanceof z.ZodString && !hasChecks(schema))
    return (value) => (typeof value === "string" ? value : unsure);
  if (schema instanceof z.ZodBoolean)
    return (value) => (typeof value === "boolean" ? value : unsure);
  return (value) => {
    const parsed = z.safeParse(schema, value);
    return parsed.success ? parsed.data : unsure;
  };
}

function hasChecks(schema: z.ZodType): boolean {
  return (schema.def.checks?.length ?? 0) > 0;
}

/** Keeps the rules that a schema adds to its shape; with a kind of rule that is not known here it gives up. */
function checked(schema: z.ZodType, decode: Decode): Decode {
  if (!hasChecks(schema)) return decode;
  const rules = (schema.def.checks ?? []).map(ruleOf);
  if (rules.includes(null)) return giveUp;
  return (wire) => {
    const value = decode(wire);
    return value !== unsure && rules.every((rule) => rule?.(value) === true) ? value : unsure;
  };
}

type Rule = (value: unknown) => unknown;

function ruleOf({ _zod: { def } }: z.core.$ZodCheck<never>): Rule | null {
  if (def.check === "custom" && "fn" in def && typeof def.fn === "function") return def.fn as Rule;
  if (def.check === "min_length" && "minimum" in def && typeof def.minimum === "number") {
    const { minimum } = def;
    return (value) => (value as { readonly length: number }).length >= minimum;
  }
  return null;
}

function objectDecoder(schema: z.ZodObject): Decode {
  if (!(schema.def.catchall instanceof z.ZodNever)) return giveUp;
  const fields = Object.entries(schema.shape).map(([name, field]) => ({
    name,
    key: wireNameOf(name, field),
    decode: decoderOf(field),
    absent: valueOfAbsent(field),
  }));
  return (given) => {
    if (!isPlainObject(given)) return unsure;
    let left = Object.keys(given).length;
    const result: Record<string, unknown> = {};
    for (const { name, key, decode, absent } of fields) {
      const isThere = Object.hasOwn(given, key);
      if (isThere) left -= 1;
      const value = isThere ? decode(given[key]) : absent;
      if (value === unsure) return unsure;
      result[name] = value;
    }
    // What is left is a key that nobody knows.
    return left === 0 ? result : unsure;
  };
}

/** Only what cannot be changed later can be the same value for all. */
function valueOfAbsent(field: z.core.$ZodType): unknown {
  if (!(field instanceof z.ZodDefault)) return unsure;
  const value: unknown = field.def.defaultValue;
  return typeof value === "object" && value !== null ? unsure : value;
}

function arrayDecoder(decode: Decode): Decode {
  return (given) => {
    if (!Array.isArray(given)) return unsure;
    const result: unknown[] = [];
    for (const item of given) {
      const value = decode(item);
      if (value === unsure) return unsure;
      result.push(value);
    }
    return result;
  };
}

function mapDecoder(decode: Decode): Decode {
  return (given) => {
    if (!isPlainObject(given)) return unsure;
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(given)) {
      const value = decode(given[key]);
      if (value === unsure) return unsure;
      setOwn(result, key, value);
    }
    return result;
  };
}

function unionDecoder(options: readonly Decode[]): Decode {
  return (given) => {
    for (const decode of options) {
      const value = decode(given);
      if (value !== unsure) return value;
    }
    return unsure;
  };
}
