import { z } from "zod";

/** The schema inside `default`, `optional`, `nullable` and `prefault`. */
export function innerSchema(schema: z.core.$ZodType): z.core.$ZodType {
  let at = schema;
  while (
    at instanceof z.ZodDefault ||
    at instanceof z.ZodOptional ||
    at instanceof z.ZodNullable ||
    at instanceof z.ZodPrefault
  ) {
    at = at.unwrap();
  }
  return at;
}
