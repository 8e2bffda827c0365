import { z } from "zod";

import { markedAsFunction } from "./options.ts";

/** A function with the name it is recorded under. */
export type NamedFunction<Key extends string, F> = {
  readonly name: string;
  /** Whose function it is; the suite's when absent. */
  readonly module?: string;
} & { readonly [P in Key]: F };

/** Schema of `{ name, [key]: function }`. It is recorded as `<suite base name>#<name>`, never by its source or place. */
export function namedFunction<Key extends string, F extends (...args: never[]) => unknown>(
  key: Key,
) {
  const isNamed = (value: unknown): boolean => {
    if (typeof value !== "object" || value === null) return false;
    const record = value as Record<string, unknown>;
    return (
      typeof record["name"] === "string" &&
      record["name"] !== "" &&
      typeof record[key] === "function"
    );
  };
  return markedAsFunction(
    z.custom<NamedFunction<Key, F>>(isNamed, {
      error: `expected { name: "<stable name>", ${key}: function }; a function without a name cannot be recorded`,
    }),
  );
}
