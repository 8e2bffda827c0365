import { z } from "zod";

/** Tokens; null where the producer did not say. */
export function tokens() {
  return z.int().nonnegative().nullable().default(null);
}

/** US dollars; null where the producer did not know. */
export function cost() {
  return z
    .number()
    .nonnegative()
    .nullable()
    .default(null)
    .describe("US dollars, where the producer knew.");
}
