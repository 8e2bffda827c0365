import type { z } from "zod";

import { isPlainObject, setOwn } from "../support/json.ts";
import { definitionOf } from "../support/schema-definition.ts";
import { quickRules, quickTest } from "./quick-test.ts";
import { shapeOf, wireNameOf } from "./shape.ts";

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
  if (shape?.kind === "map") return mapDecoder(decoderOf(shape.value));
  if (shape?.kind === "normalized") {
    const decode = decoderOf(shape.value);
    return (value) => decode(shape.normalize(value));
  }
  const def = definitionOf(schema);
  switch (def.type) {
    case "object":
      return checked(schema, objectDecoder(def));
    case "array":
      return checked(schema, arrayDecoder(decoderOf(def.element)));
    case "union":
      return checked(schema, unionDecoder(def.options.map(decoderOf)));
    case "nullable": {
      const decode = decoderOf(def.innerType);
      return (value) => (value === null ? null : decode(value));
    }
    case "default":
    case "optional": {
      const decode = decoderOf(def.innerType);
      return (value) => (value === undefined ? unsure : decode(value));
    }
    default: {
      const isRight = quickTest(schema);
      return isRight === null ? giveUp : (value) => (isRight(value) ? value : unsure);
    }
  }
}

/** Keeps the rules that a schema adds to its shape; with a kind of rule that is not known here it gives up. */
function checked(schema: z.core.$ZodType, decode: Decode): Decode {
  const rules = quickRules(schema);
  if (rules === null) return giveUp;
  if (rules.length === 0) return decode;
  return (given) => {
    const value = decode(given);
    return value !== unsure && rules.every((rule) => rule(value)) ? value : unsure;
  };
}

function objectDecoder({ catchall, shape }: z.core.$ZodObjectDef): Decode {
  if (catchall === undefined || definitionOf(catchall).type !== "never") return giveUp;
  const fields = Object.entries(shape).map(([name, field]) => ({
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
      const item = given[key];
      if (item !== undefined) left -= 1;
      const value = item === undefined ? absent : decode(item);
      if (value === unsure) return unsure;
      result[name] = value;
    }
    // What is left is a key that nobody knows.
    return left === 0 ? result : unsure;
  };
}

/** Only what cannot be changed later can be the same value for all. */
function valueOfAbsent(field: z.core.$ZodType): unknown {
  const def = definitionOf(field);
  if (def.type !== "default") return unsure;
  const value: unknown = def.defaultValue;
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
