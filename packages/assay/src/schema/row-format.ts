import type { z } from "zod";

import { formatRow, isPlainObject, nonFiniteToken } from "../support/json.ts";
import { definitionOf } from "../support/schema-definition.ts";
import { shapeOf, wireNameOf } from "./shape.ts";
import { mapperOf } from "./wire-mapper.ts";

/**
 * The row of a value that has been parsed with `schema`: its wire form as one line of strict JSON, the keys in the order
 * of the schema. Written in one pass: a copy with other keys would cost as much as its text.
 */
export function formatRecord(schema: z.core.$ZodType, value: unknown): string {
  return formatOf(schema)(value);
}

type Format = (value: unknown) => string;

const formats = new WeakMap<z.core.$ZodType, Format>();

function formatOf(schema: z.core.$ZodType): Format {
  const known = formats.get(schema);
  if (known !== undefined) return known;
  const made = makeFormat(schema);
  formats.set(schema, made);
  return made;
}

function makeFormat(schema: z.core.$ZodType): Format {
  const shape = shapeOf(schema);
  if (shape?.kind === "free") return formatRow;
  if (shape?.kind === "map") return mapFormat(formatOf(shape.value));
  if (shape?.kind === "normalized") return formatOf(shape.value);
  const def = definitionOf(schema);
  switch (def.type) {
    case "object":
      return isClosed(def) ? objectFormat(def.shape) : renamed(schema);
    case "array":
      return arrayFormat(formatOf(def.element));
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "readonly":
      return formatOf(def.innerType);
    case "number":
      return formatNumber;
    default:
      return renamed(schema);
  }
}

/** The long way round, for what is not written part by part. */
function renamed(schema: z.core.$ZodType): Format {
  const mapper = mapperOf(schema);
  return (value) => formatRow(mapper.toWire(value));
}

function isClosed({ catchall }: z.core.$ZodObjectDef): boolean {
  return catchall !== undefined && definitionOf(catchall).type === "never";
}

function formatNumber(value: unknown): string {
  if (typeof value !== "number") return formatRow(value);
  return Number.isFinite(value) ? String(value) : `"${nonFiniteToken(value)}"`;
}

function objectFormat(fields: z.core.$ZodShape): Format {
  const parts = Object.entries(fields).map(([name, field]) => ({
    name,
    key: `${formatRow(wireNameOf(name, field))}:`,
    format: formatOf(field),
  }));
  return (value) => {
    if (!isPlainObject(value)) return formatRow(value);
    let text = "";
    for (const { name, key, format } of parts) {
      const item = value[name];
      if (item === undefined) continue;
      const separator = text === "" ? "{" : ",";
      text += separator + key + (item === null ? "null" : format(item));
    }
    return text === "" ? "{}" : `${text}}`;
  };
}

function arrayFormat(format: Format): Format {
  return (value) => (Array.isArray(value) ? `[${value.map(format).join(",")}]` : formatRow(value));
}

function mapFormat(format: Format): Format {
  return (value) => {
    if (!isPlainObject(value)) return formatRow(value);
    const members = Object.keys(value).map((key) => `${formatRow(key)}:${format(value[key])}`);
    return `{${members.join(",")}}`;
  };
}
