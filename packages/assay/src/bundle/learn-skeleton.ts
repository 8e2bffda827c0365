import type { z } from "zod";

import { quickRules, quickTest } from "../schema/quick-test.ts";
import { shapeOf, wireNameOf } from "../schema/shape.ts";
import { formatRow, isPlainObject } from "../support/json.ts";
import { definitionOf } from "../support/schema-definition.ts";
import { RowSkeleton, type Slot } from "./row-skeleton.ts";

/** A longer row, or one of more values, is not worth a skeleton. */
const maxLength = 64 * 1024;
const maxSlots = 512;

export interface CheckedRow<T> {
  readonly text: string;
  /** What `JSON.parse` made of the text. */
  readonly wire: unknown;
  /** What the schema made of that; the skeleton makes it its own. */
  readonly row: T;
}

/** The skeleton of a row in which nothing is wrong; null when it has none: it is spelt otherwise than Assay spells rows. */
export function learnSkeleton<T>(
  schema: z.core.$ZodType,
  { text, wire, row }: CheckedRow<T>,
): RowSkeleton<T> | null {
  if (text.length > maxLength || formatRow(wire) !== text) return null;
  const parts = new Parts();
  parts.add(schema, wire, { holder: { row }, key: "row" });
  return parts.slots.length > maxSlots ? null : new RowSkeleton(row, parts.ended());
}

/** Where the decoded value stands that belongs to a value of the row. */
type Place = Pick<Slot, "holder" | "key">;

function valueAt({ holder, key }: Place): unknown {
  return (holder as Record<string | number, unknown>)[key];
}

/** Data that are free in their form. */
const free = null;

class Parts {
  readonly slots: Slot[] = [];
  readonly #literals: Uint8Array[] = [];
  readonly #rules: (() => boolean)[] = [];
  #literal = "";

  ended() {
    this.#endLiteral();
    return { literals: this.#literals, slots: this.slots, rules: this.#rules };
  }

  /** What is not known well enough to have slots may not differ at all. */
  add(schema: z.core.$ZodType | typeof free, wire: unknown, place: Place): void {
    const inner = schema === free ? free : whatTakes(schema, wire);
    const decoded = valueAt(place);
    const isTaken =
      inner !== undefined &&
      (this.#addSlot(inner, wire, place) ||
        this.#addArray(inner, wire, decoded) ||
        this.#addObject(inner, wire, decoded));
    if (!isTaken) this.#literal += formatRow(wire);
  }

  #addSlot(schema: z.core.$ZodType | typeof free, wire: unknown, place: Place): boolean {
    const isText = typeof wire === "string";
    const isLeaf = isText || typeof wire === "number";
    if (!isLeaf || valueAt(place) !== wire) return false;
    const isRight = schema === free ? () => true : leafTest(schema);
    if (isRight === null) return false;
    if (isText) this.#literal += '"';
    this.#endLiteral();
    if (isText) this.#literal = '"';
    this.slots.push({ isText, isRight, ...place, value: wire });
    return true;
  }

  #addArray(schema: z.core.$ZodType | typeof free, wire: unknown, decoded: unknown): boolean {
    if (!Array.isArray(wire) || !Array.isArray(decoded)) return false;
    const element = schema === free ? free : elementOf(schema);
    if (element === undefined || !this.#addRules(schema, decoded)) return false;
    this.#literal += "[";
    for (const [index, item] of wire.entries()) {
      if (index > 0) this.#literal += ",";
      this.add(element, item, { holder: decoded, key: index });
    }
    this.#literal += "]";
    return true;
  }

  #addObject(schema: z.core.$ZodType | typeof free, wire: unknown, decoded: unknown): boolean {
    if (!isPlainObject(wire) || !isPlainObject(decoded) || Object.hasOwn(wire, "__proto__"))
      return false;
    const fields = schema === free ? free : fieldsOf(schema);
    if (fields === undefined || !this.#addRules(schema, decoded)) return false;
    this.#literal += "{";
    for (const [index, key] of Object.keys(wire).entries()) {
      if (index > 0) this.#literal += ",";
      this.#literal += `${formatRow(key)}:`;
      const field = fields === free ? { name: key, schema: free } : fields(key);
      if (field === undefined) this.#literal += formatRow(wire[key]);
      else this.add(field.schema, wire[key], { holder: decoded, key: field.name });
    }
    this.#literal += "}";
    return true;
  }

  /** Rules may look at any value of what they are of, so they are asked again of each row. */
  #addRules(schema: z.core.$ZodType | typeof free, decoded: unknown): boolean {
    const rules = schema === free ? [] : quickRules(schema);
    for (const rule of rules ?? []) this.#rules.push(() => rule(decoded));
    return rules !== null;
  }

  #endLiteral(): void {
    this.#literals.push(Buffer.from(this.#literal));
    this.#literal = "";
  }
}

/** The schema that takes a value in the end; `free` for free data; undefined when that depends on more than its kind. */
function whatTakes(
  schema: z.core.$ZodType,
  wire: unknown,
): z.core.$ZodType | typeof free | undefined {
  const shape = shapeOf(schema);
  if (shape?.kind === "free") return free;
  // By its keys alone: the long form is left as it is.
  if (shape?.kind === "normalized")
    return shape.normalize(wire) === wire ? whatTakes(shape.value, wire) : undefined;
  const def = definitionOf(schema);
  if (def.type !== "nullable" && def.type !== "default" && def.type !== "optional") return schema;
  return wire === null ? undefined : whatTakes(def.innerType, wire);
}

function leafTest(schema: z.core.$ZodType) {
  const { type } = definitionOf(schema);
  return type === "string" || type === "number" ? quickTest(schema) : null;
}

function elementOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  const def = definitionOf(schema);
  return def.type === "array" ? def.element : undefined;
}

/** Finds the field of a key of the row. */
function fieldsOf(schema: z.core.$ZodType) {
  const shape = shapeOf(schema);
  if (shape?.kind === "map") return (key: string) => ({ name: key, schema: shape.value });
  const def = definitionOf(schema);
  if (def.type !== "object") return undefined;
  const fields = Object.entries(def.shape).map(([name, field]) => ({ name, schema: field }));
  return (key: string) => fields.find(({ name, schema: field }) => wireNameOf(name, field) === key);
}
