import fc from "fast-check";
import type { z } from "zod";

import { shapeOf } from "../../packages/assay/src/schema/shape.ts";
import { isFunctionSchema } from "../../packages/assay/src/support/options.ts";
import { definitionOf } from "../../packages/assay/src/support/schema-definition.ts";

// Few and alike, so that values meet again: texts that differ in one thing, spellings of numbers, forms of one character.
const texts = [
  "a",
  "A",
  "b",
  "1",
  "true",
  "null",
  "",
  " a",
  "\u00e9",
  "e\u0301",
  "\ud83d\ude00",
  "a.b",
];
const names = ["A", "B", "C_1", "a"];
const numbers = [0, 1, 2, 64, 65, 600, 0.5, 1.5, -1, 1e21, 2 ** 53];

const texts$ = fc.oneof(fc.constantFrom(...texts), fc.string({ maxLength: 3 }));
const json$ = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    texts$,
    fc.constantFrom(null, true, false, ...numbers),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom(...names, ...texts), tie("value"), { maxKeys: 3 }),
  ),
})).value;

/** Values that an option may have, made from its schema; undefined where that is allowed. */
export function valuesOf(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  return candidatesFor(schema).filter((value) => (schema as z.ZodType).safeParse(value).success);
}

function candidatesFor(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  if (isFunctionSchema(schema)) return fc.oneof(functions$, optionally(schema));
  const shape = shapeOf(schema);
  if (shape?.kind === "free") return fc.oneof(maps(texts$), maps(json$), json$);
  if (shape?.kind === "map") return maps(candidatesFor(shape.value));
  if (shape?.kind === "normalized") return candidatesFor(shape.value);
  const def = definitionOf(schema);
  switch (def.type) {
    case "default":
    case "prefault":
    case "optional":
    case "nullable":
      return fc.oneof({ weight: 4, arbitrary: candidatesFor(def.innerType) }, optionally(schema));
    case "string":
      return fc.oneof(texts$, fc.constantFrom(...names));
    case "number":
      return fc.oneof(fc.constantFrom(...numbers), fc.integer({ min: 1, max: 1000 }));
    case "boolean":
      return fc.boolean();
    case "enum":
      return fc.constantFrom(...Object.values(def.entries));
    case "literal":
      return fc.constantFrom(...def.values);
    case "array":
      return fc.array(candidatesFor(def.element), { maxLength: 3 });
    case "union":
      return fc.oneof(...def.options.map(candidatesFor));
    case "object":
      return fc.record(
        Object.fromEntries(
          Object.entries(def.shape).map(([name, field]) => [name, candidatesFor(field)]),
        ),
      );
    case "pipe":
      return candidatesFor(def.in);
    default:
      throw new Error(`no values are known for a schema of the kind ${def.type}: add them here`);
  }
}

function optionally(schema: z.core.$ZodType): fc.Arbitrary<unknown> {
  const allowed = [undefined, null].filter(
    (value) => (schema as z.ZodType).safeParse(value).success,
  );
  return allowed.length === 0 ? functions$ : fc.constantFrom(...allowed);
}

function maps(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.dictionary(fc.constantFrom(...names), values, { maxKeys: 3 });
}

/** Each time another function, of which only the name may be seen. */
const functions$ = fc
  .record({ name: fc.constantFrom("one", "two"), module: fc.constantFrom(undefined, "m", "n") })
  .map(({ name, module }) => {
    const bodies = [() => name, async () => 1, class {}.constructor as () => string];
    const body = bodies[Math.floor(performance.now()) % bodies.length];
    return { name, ...(module === undefined ? {} : { module }), agent: body, build: body };
  });
