import type { z } from "zod";

/**
 * What a schema is made of, to tell kinds apart by `type`. By its definition and not by its class: looking at a schema
 * needs no zod, so a program that makes none does not load it.
 */
export function definitionOf(schema: z.core.$ZodType): z.core.$ZodTypes["_zod"]["def"] {
  return (schema as z.core.$ZodTypes)._zod.def;
}

/** The schema inside `default`, `optional`, `nullable` and `prefault`. */
export function innerSchema(schema: z.core.$ZodType): z.core.$ZodType {
  let at = schema;
  for (;;) {
    const def = definitionOf(at);
    if (
      def.type !== "default" &&
      def.type !== "optional" &&
      def.type !== "nullable" &&
      def.type !== "prefault"
    )
      return at;
    at = def.innerType;
  }
}
