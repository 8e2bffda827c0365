import type { z } from "zod";

import { mapperOf, type UnknownKey } from "../../packages/assay/src/schema/wire-mapper.ts";

/** The long way: rename, then parse. Undefined for what it refuses. */
export function slowDecode(schema: z.ZodType, wire: unknown): unknown {
  const unknown: UnknownKey[] = [];
  const parsed = schema.safeParse(mapperOf(schema).fromWire(wire, unknown));
  return unknown.length === 0 && parsed.success ? parsed.data : undefined;
}
