import type { z } from "zod";

import { GeneratedFunction, plainObjectTest } from "../support/generated-function.ts";
import { formatRow, isPlainObject, nonFiniteToken } from "../support/json.ts";
import { definitionOf } from "../support/schema-definition.ts";
import { shapeOf, wireNameOf } from "./shape.ts";
import { mapperOf } from "./wire-mapper.ts";

/**
 * Looks at what is written, and gives what stands for it in the row. Every text that somebody else gave comes here; a text
 * that the format itself fixes may come too.
 */
export interface RowTexts {
  /** What stands between the quotes of a text. */
  escaped(text: string): string;
  /** What is JSON already: free-form data, or the whole of a record that is not written part by part. */
  data(json: string): string;
}

/**
 * The row of a value that has been parsed with `schema`: its wire form as one line of strict JSON, the keys in the order
 * of the schema. Written in one pass: a copy with other keys would cost as much as its text.
 */
export function formatRecord(
  schema: z.core.$ZodType,
  value: unknown,
  texts: RowTexts = plainTexts,
): string {
  return formatOf(schema)(value, texts);
}

const plainTexts: RowTexts = { escaped: escapedText, data: (json) => json };

type Format = (value: unknown, texts: RowTexts) => string;

const formats = new WeakMap<z.core.$ZodType, Format>();

function formatOf(schema: z.core.$ZodType): Format {
  const known = formats.get(schema);
  if (known !== undefined) return known;
  const renamed = renamedFormat(schema);
  const made = new FormatSource(renamed).format(schema) ?? renamed;
  formats.set(schema, made);
  return made;
}

/** The long way round, for what is not written part by part. */
function renamedFormat(schema: z.core.$ZodType): Format {
  const mapper = mapperOf(schema);
  return (value, texts) => texts.data(formatRow(mapper.toWire(value)));
}

/** A field of an object, and the variable that holds what it is. */
interface Field {
  readonly schema: z.core.$ZodType;
  /** As it stands in the row, with the comma before it. */
  readonly key: string;
  readonly value: string;
}

/**
 * Writes the function that writes the rows of one schema. Of texts that do not depend on the value, those that stand one
 * after the other are one piece: each piece is an object of the engine until the row is needed as a whole.
 */
class FormatSource {
  readonly #code = new GeneratedFunction();
  readonly #theLongWay: string;
  /** What the row has next whatever the value is. */
  #fixed = "";

  constructor(renamed: Format) {
    this.#theLongWay = `return ${this.#code.bind(renamed)}(value, texts);`;
  }

  format(schema: z.core.$ZodType): Format | null {
    this.#code.line(`let text = "";`);
    this.#write(schema, "value");
    this.#flush();
    this.#code.line("return text;");
    return this.#code.made("value, texts");
  }

  #write(schema: z.core.$ZodType, value: string): void {
    const shape = shapeOf(schema);
    if (shape?.kind === "normalized") this.#write(shape.value, value);
    else if (shape?.kind === "free") this.#writeWith(formatFree, value);
    else if (shape?.kind === "map") this.#writeWith(mapFormat(formatOf(shape.value)), value);
    else this.#writePart(schema, value);
  }

  #writePart(schema: z.core.$ZodType, value: string): void {
    const def = definitionOf(schema);
    switch (def.type) {
      case "object":
        if (isFixed(def)) this.#writeObject(def, value);
        else this.#writeWith(renamedFormat(schema), value);
        break;
      case "array":
        this.#writeWith(arrayFormat(formatOf(def.element)), value);
        break;
      case "nullable":
        this.#unlessNull([value], "null", () => {
          this.#write(def.innerType, value);
        });
        break;
      case "optional":
      case "default":
      case "prefault":
      case "readonly":
        this.#write(def.innerType, value);
        break;
      case "number":
        this.#writeWith(formatNumber, value);
        break;
      case "boolean":
        this.#elseTheLongWay(`typeof ${value} === "boolean"`);
        this.#writeText(`(${value} ? "true" : "false")`);
        break;
      case "string":
        this.#elseTheLongWay(`typeof ${value} === "string"`);
        this.#fixed += '"';
        this.#writeText(`texts.escaped(${value})`);
        this.#fixed += '"';
        break;
      case "enum":
        this.#elseTheLongWay(`${this.#code.bind(plainValues(def))}.has(${value})`);
        this.#fixed += '"';
        this.#writeText(value);
        this.#fixed += '"';
        break;
      default:
        this.#writeWith(renamedFormat(schema), value);
    }
  }

  #writeObject({ shape }: z.core.$ZodObjectDef, value: string): void {
    this.#elseTheLongWay(plainObjectTest(this.#code, value));
    const fields = Object.entries(shape).map(([name, schema], index): Field => {
      const key = `${index === 0 ? "" : ","}${JSON.stringify(wireNameOf(name, schema))}:`;
      const field = this.#code.variable();
      this.#code.line(`const ${field} = ${value}[${JSON.stringify(name)}];`);
      this.#elseTheLongWay(`${field} !== undefined`);
      return { schema, key, value: field };
    });
    this.#fixed += "{";
    for (const run of runsOf(fields, isNullable)) this.#writeFields(run);
    this.#fixed += "}";
  }

  /** Of several that may all be null it is asked at once whether they are, then of each half. */
  #writeFields(fields: readonly Field[]): void {
    const [first, ...others] = fields;
    if (first === undefined) return;
    if (others.length === 0) {
      this.#fixed += first.key;
      this.#write(first.schema, first.value);
      return;
    }
    const nulls = fields.map((field) => `${field.key}null`).join("");
    const middle = Math.ceil(fields.length / 2);
    this.#unlessNull(
      fields.map((field) => field.value),
      nulls,
      () => {
        this.#writeFields(fields.slice(0, middle));
        this.#writeFields(fields.slice(middle));
      },
    );
  }

  #unlessNull(values: readonly string[], nulls: string, write: () => void): void {
    const before = this.#fixed;
    const areNull = values.map((value) => `${value} === null`).join(" && ");
    this.#code.line(`if (${areNull}) { text += ${JSON.stringify(before + nulls)}; } else {`);
    write();
    this.#flush();
    this.#code.line("}");
  }

  #writeWith(format: Format, value: string): void {
    this.#writeText(`${this.#code.bind(format)}(${value}, texts)`);
  }

  #writeText(expression: string): void {
    this.#flush();
    this.#code.line(`text += ${expression};`);
  }

  #flush(): void {
    if (this.#fixed !== "") this.#code.line(`text += ${JSON.stringify(this.#fixed)};`);
    this.#fixed = "";
  }

  #elseTheLongWay(condition: string): void {
    this.#code.line(`if (!(${condition})) ${this.#theLongWay}`);
  }
}

/** Whether an object of the schema has all keys of the schema and no other. */
function isFixed({ catchall, shape }: z.core.$ZodObjectDef): boolean {
  const isClosed = catchall !== undefined && definitionOf(catchall).type === "never";
  return isClosed && Object.values(shape).every((field) => definitionOf(field).type !== "optional");
}

function isNullable({ schema }: Field): boolean {
  const def = definitionOf(schema);
  if (def.type === "nullable") return true;
  return def.type === "default" && definitionOf(def.innerType).type === "nullable";
}

/** Neighbours of which something holds are together, all others by themselves. */
function runsOf<T>(items: readonly T[], holds: (item: T) => boolean): T[][] {
  const runs: T[][] = [];
  let open: T[] | null = null;
  for (const item of items) {
    if (open !== null && holds(item)) {
      open.push(item);
      continue;
    }
    const run = [item];
    runs.push(run);
    open = holds(item) ? run : null;
  }
  return runs;
}

/** Of an enumeration: those that stand in a row as they are. */
function plainValues({ entries }: z.core.$ZodEnumDef): ReadonlySet<unknown> {
  return new Set(Object.values(entries).filter((it) => typeof it === "string" && isPlain(it)));
}

const longestPlain = 128;
const plain = /^[ !#-[\]-~]*$/;

/** Nearly all texts of a row are short and have nothing to escape. */
function isPlain(text: string): boolean {
  return text.length <= longestPlain && plain.test(text);
}

/** What stands between the quotes of a text in JSON. */
export function escapedText(text: string): string {
  return isPlain(text) ? text : formatRow(text).slice(1, -1);
}

function formatFree(value: unknown, texts: RowTexts): string {
  if (typeof value === "string") return `"${texts.escaped(value)}"`;
  if (typeof value === "boolean") return value ? "true" : "false";
  return texts.data(smallData(value) ?? formatRow(value));
}

const mostMembers = 8;
const mostLevels = 3;

/** The few and short data that most rows have are not worth a call of the engine. */
function smallData(value: unknown, level = 0): string | null {
  if (value === null) return "null";
  if (typeof value === "string") return isPlain(value) ? `"${value}"` : null;
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value === "number") return formatNumber(value);
  if (level === mostLevels || !isPlainObject(value)) return null;
  const keys = Object.keys(value);
  if (keys.length > mostMembers) return null;
  let text = "{";
  for (const key of keys) {
    const item = isPlain(key) ? smallData(value[key], level + 1) : null;
    if (item === null) return null;
    text += `${text === "{" ? "" : ","}"${key}":${item}`;
  }
  return `${text}}`;
}

function formatNumber(value: unknown): string {
  if (typeof value !== "number") return formatRow(value);
  return Number.isFinite(value) ? String(value) : `"${nonFiniteToken(value)}"`;
}

function arrayFormat(format: Format): Format {
  return (value, texts) => {
    if (!Array.isArray(value)) return texts.data(formatRow(value));
    let text = "[";
    for (const item of value) text += (text === "[" ? "" : ",") + format(item, texts);
    return `${text}]`;
  };
}

function mapFormat(format: Format): Format {
  return (value, texts) => {
    if (!isPlainObject(value)) return texts.data(formatRow(value));
    let text = "{";
    for (const key of Object.keys(value))
      text += `${text === "{" ? "" : ","}"${texts.escaped(key)}":${format(value[key], texts)}`;
    return `${text}}`;
  };
}
