import type { z } from "zod";

import { toSnakeCase } from "../support/names.ts";
import { innerSchema } from "../support/schema-definition.ts";

/** How the codec and the JSON Schemas treat a schema that zod alone cannot describe. */
export type Shape =
  | { readonly kind: "free"; readonly json: Record<string, unknown> }
  | { readonly kind: "map"; readonly value: z.ZodType }
  | { readonly kind: "normalized"; readonly value: z.ZodType; readonly normalize: Normalize };

export type Normalize = (value: unknown) => unknown;

// What is known of schemas besides what they say. By definition, not by schema: `describe` makes a new schema over the
// same definition.
const shapes = new WeakMap<z.core.$ZodTypeDef, Shape>();

export function shaped<T extends z.ZodType>(schema: T, shape: Shape): T {
  shapes.set(schema._zod.def, shape);
  return schema;
}

export function shapeOf(schema: z.core.$ZodType): Shape | undefined {
  return shapes.get(schema._zod.def);
}

const wireNames = new WeakMap<z.core.$ZodTypeDef, string>();

/** A field whose key somebody else's format fixes; all others are the snake_case of their names. */
export function wireNamed<T extends z.ZodType>(wire: string, schema: T): T {
  wireNames.set(schema._zod.def, wire);
  return schema;
}

export function wireNameOf(name: string, field: z.core.$ZodType): string {
  return wireNames.get(field._zod.def) ?? toSnakeCase(name);
}

const paths = new WeakSet<z.core.$ZodTypeDef>();

/** A string that is a path of the host. */
export function markedAsPath<T extends z.ZodType>(schema: T): T {
  paths.add(schema._zod.def);
  return schema;
}

export function isPathSchema(schema: z.core.$ZodType): boolean {
  return paths.has(innerSchema(schema)._zod.def);
}
