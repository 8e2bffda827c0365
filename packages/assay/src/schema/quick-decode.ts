import { z } from "zod";

import { isPlainObject, setOwn } from "../support/json.ts";
import { shapeOf, wireNameOf } from "./free-form.ts";

/** What a quick decoder gives for everything that it is not sure about. */
export const unsure: unique symbol = Symbol("unsure");

type Decode = (wire: unknown) => unknown;

/**
 * Reads the wire form of a record that has all its keys and nothing wrong, in one step and several times as fast as
 * renaming and then parsing. Of anything else it is unsure: the long way says what is wrong, or fills in what is absent.
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
    return (wire) => decode(shape.normalize(wire));
  }
  if (schema instanceof z.ZodObject) return checked(schema, objectDecoder(schema));
  if (schema instanceof z.ZodArray) return checked(schema, arrayDecoder(decoderOf(schema.element)));
  if (schema instanceof z.ZodUnion) return checked(schema, unionDecoder(schema.options));
  if (schema instanceof z.ZodNullable) {
    const decode = decoderOf(schema.unwrap());
    return (wire) => (wire === null ? null : decode(wire));
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) {
    const decode = decoderOf(schema.unwrap());
    return (wire) => (wire === undefined ? unsure : decode(wire));
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
    return (wire) => (typeof wire === "string" ? wire : unsure);
  if (schema instanceof z.ZodBoolean) return (wire) => (typeof wire === "boolean" ? wire : unsure);
  return (wire) => (z.safeParse(schema, wire).success ? wire : unsure);
}

function hasChecks(schema: z.ZodType): boolean {
  return (schema.def.checks?.length ?? 0) > 0;
}

/** Keeps the rules that a schema adds to its shape; with a kind of rule that is not known here it gives up. */
function checked(schema: z.ZodType, decode: Decode): Decode {
  if (!hasChecks(schema)) return decode;
  const rules: ((value: unknown) => unknown)[] = [];
  for (const { _zod } of schema.def.checks ?? []) {
    const rule = "fn" in _zod.def ? _zod.def.fn : undefined;
    if (_zod.def.check !== "custom" || typeof rule !== "function") return giveUp;
    rules.push(rule as (value: unknown) => unknown);
  }
  return (wire) => {
    const value = decode(wire);
    if (value === unsure) return unsure;
    return rules.every((rule) => rule(value) === true) ? value : unsure;
  };
}

function objectDecoder(schema: z.ZodObject): Decode {
  if (!(schema.def.catchall instanceof z.ZodNever)) return giveUp;
  const fields = Object.entries(schema.shape).map(([name, field]) => ({
    name,
    wire: wireNameOf(name, field),
    decode: decoderOf(field),
  }));
  return (wire) => {
    if (!isPlainObject(wire) || Object.keys(wire).length !== fields.length) return unsure;
    const result: Record<string, unknown> = {};
    for (const { name, wire: key, decode } of fields) {
      const value = Object.hasOwn(wire, key) ? decode(wire[key]) : unsure;
      if (value === unsure) return unsure;
      result[name] = value;
    }
    return result;
  };
}

function arrayDecoder(decode: Decode): Decode {
  return (wire) => {
    if (!Array.isArray(wire)) return unsure;
    const result: unknown[] = [];
    for (const item of wire) {
      const value = decode(item);
      if (value === unsure) return unsure;
      result.push(value);
    }
    return result;
  };
}

function mapDecoder(decode: Decode): Decode {
  return (wire) => {
    if (!isPlainObject(wire)) return unsure;
    const result: Record<string, unknown> = {};
    for (const key of Object.keys(wire)) {
      const value = decode(wire[key]);
      if (value === unsure) return unsure;
      setOwn(result, key, value);
    }
    return result;
  };
}

function unionDecoder(options: readonly z.core.$ZodType[]): Decode {
  const decoders = options.map(decoderOf);
  return (wire) => {
    for (const decode of decoders) {
      const value = decode(wire);
      if (value !== unsure) return value;
    }
    return unsure;
  };
}
