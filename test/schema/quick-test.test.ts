import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";

import {
  jsonObject,
  jsonValue,
  name,
  stringMap,
} from "../../packages/assay/src/schema/free-form.ts";
import { quickTest } from "../../packages/assay/src/schema/quick-test.ts";

const known: Readonly<Record<string, z.ZodType>> = {
  string: z.string(),
  "described string": z.string().describe("x"),
  "non-empty string": name(),
  "string of a pattern": z.string().regex(/^[a-c]+$/),
  "string with two rules": z.string().min(2).regex(/a/),
  "string with a rule of ours": z.string().refine((text) => !text.includes("\0"), "no NUL"),
  boolean: z.boolean(),
  null: z.null(),
  number: z.number(),
  "number from 0": z.number().nonnegative(),
  "number above 0": z.number().positive(),
  integer: z.int(),
  "integer from 0": z.int().nonnegative(),
  "integer above 0": z.int().positive(),
  enum: z.enum(["a", "b"]),
  literal: z.literal("a"),
  "literal number": z.literal([1, 2]),
  "any JSON": jsonValue(),
  "JSON object": jsonObject(),
  "map of strings": stringMap(),
};

const value = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom("", "a", "ab", "abc", "b", "\0", 0, -0, 1, -1, 0.5, 2 ** 53, Number.NaN),
  fc.constantFrom(Number.POSITIVE_INFINITY, null, undefined, true, [], {}, new Date(0), new Map()),
  fc.constantFrom(1n, Symbol.iterator, () => 1, { a: "b" }, { a: undefined }),
);

describe("the quick test of a schema", () => {
  it.each(Object.entries(known))("of a %s agrees with zod about every value", (_what, schema) => {
    const test = quickTest(schema);
    fc.assert(
      fc.property(value, (given) => {
        expect(test?.(given)).toBe(schema.safeParse(given).success);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    z.string().max(3),
    z.email(),
    z.int32(),
    z.number().multipleOf(2),
    z.date(),
    z.string().trim(),
    z.object({}),
  ])("is not there for a schema whose rules are not known, %#", (schema) => {
    expect(quickTest(schema)).toBeNull();
  });
});
