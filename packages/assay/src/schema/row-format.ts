import type { z } from "zod";

import { formatRow, isPlainObject, nonFiniteToken } from "../support/json.ts";
import { definitionOf } from "../support/schema-definition.ts";
import { shapeOf, wireNameOf } from "./shape.ts";
import { mapperOf } from "./wire-mapper.ts";

/** Sees what somebody else gave: texts as they are, free-form data as JSON. What the format itself fixes is not shown. */
export type Look = (text: string) => void;

/**
 * The row of a value that has been parsed with `schema`: its wire form as one line of strict JSON, the keys in the order
 * of the schema. Written in one pass: a copy with other keys would cost as much as its text.
 */
export function formatRecord(
  schema: z.core.$ZodType,
  value: unknown,
  look: Look = lookAway,
): string {
  return formatOf(schema)(value, look);
}

const lookAway: Look = () => {};

type Format = (value: unknown, look: Look) => string;

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
  if (shape?.kind === "free") return formatFree;
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
    case "string":
      return formatGiven;
    case "enum":
      return formatText;
    default:
      return renamed(schema);
  }
}

/** The few and short data that most rows have are not worth a call of the engine. */
function formatFree(value: unknown, look: Look): string {
  if (typeof value === "string") return formatGiven(value, look);
  if (typeof value === "boolean") return value ? "true" : "false";
  if (isPlainObject(value) && isEmpty(value)) return "{}";
  return shown(typeof value === "number" ? formatNumber(value) : formatRow(value), look);
}

function shown(text: string, look: Look): string {
  look(text);
  return text;
}

function isEmpty(value: object): boolean {
  for (const _key in value) return false;
  return true;
}

/** The long way round, for what is not written part by part. */
function renamed(schema: z.core.$ZodType): Format {
  const mapper = mapperOf(schema);
  return (value, look) => shown(formatRow(mapper.toWire(value)), look);
}

function isClosed({ catchall }: z.core.$ZodObjectDef): boolean {
  return catchall !== undefined && definitionOf(catchall).type === "never";
}

const longestPlain = 128;
const plain = /^[ !#-[\]-~]*$/;

/** Nearly all texts of a row are short and have nothing to escape. */
function formatText(value: unknown): string {
  if (typeof value === "string" && value.length <= longestPlain && plain.test(value))
    return `"${value}"`;
  return formatRow(value);
}

function formatGiven(value: unknown, look: Look): string {
  if (typeof value !== "string") return shown(formatRow(value), look);
  look(value);
  return formatText(value);
}

function formatNumber(value: unknown): string {
  if (typeof value !== "number") return formatRow(value);
  return Number.isFinite(value) ? String(value) : `"${nonFiniteToken(value)}"`;
}

function objectFormat(fields: z.core.$ZodShape): Format {
  const parts = Object.entries(fields).map(([name, field]) => {
    const key = `${formatRow(wireNameOf(name, field))}:`;
    return { name, key, next: `,${key}`, nextNull: `,${key}null`, format: formatOf(field) };
  });
  return (value, look) => {
    if (!isPlainObject(value)) return shown(formatRow(value), look);
    let text = "{";
    for (const { name, key, next, nextNull, format } of parts) {
      const item = value[name];
      if (item === undefined) continue;
      // As few pieces as can be: each is an object until the text is needed as a whole.
      if (text === "{") text += key + (item === null ? "null" : format(item, look));
      else if (item === null) text += nextNull;
      else text += next + format(item, look);
    }
    return `${text}}`;
  };
}

function arrayFormat(format: Format): Format {
  return (value, look) => {
    if (!Array.isArray(value)) return shown(formatRow(value), look);
    let text = "[";
    for (const item of value) text += (text === "[" ? "" : ",") + format(item, look);
    return `${text}]`;
  };
}

function mapFormat(format: Format): Format {
  return (value, look) => {
    if (!isPlainObject(value)) return shown(formatRow(value), look);
    let text = "{";
    for (const key of Object.keys(value))
      text += `${text === "{" ? "" : ","}${formatGiven(key, look)}:${format(value[key], look)}`;
    return `${text}}`;
  };
}
