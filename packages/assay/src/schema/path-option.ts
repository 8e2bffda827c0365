import { z } from "zod";

import { innerSchema } from "../support/inner-schema.ts";

// By definition, not by schema: `describe` makes a new schema over the same definition.
const pathSchemas = new WeakSet<z.core.$ZodTypeDef>();

/** A path of the host: relative ones start at the suite's folder. A bare program name is looked up on PATH. */
export function hostPath() {
  const schema = z
    .string()
    .min(1)
    .refine((text) => !text.includes("\0"), "must not hold a NUL character");
  pathSchemas.add(schema._zod.def);
  return schema;
}

export function isPathSchema(schema: z.core.$ZodType): boolean {
  return pathSchemas.has(innerSchema(schema)._zod.def);
}
