import { z } from "zod";

const unknownSchema = z.strictObject({
  unknown: z.string().min(1).describe("Why it is not known."),
});

/** A fact that may not be known: the value, or the reason. */
export function fact<T extends z.ZodType>(value: T) {
  return z.union([value, unknownSchema]);
}

/** A value, or why it is not known. */
export type Fact<T> = T | { readonly unknown: string };

export function isUnknown(fact: unknown): fact is { readonly unknown: string } {
  return (
    typeof fact === "object" &&
    fact !== null &&
    "unknown" in fact &&
    typeof fact.unknown === "string"
  );
}
