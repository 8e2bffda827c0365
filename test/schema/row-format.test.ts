import fc from "fast-check";
import { expect, it } from "vitest";
import { z } from "zod";

import { toWire } from "../../packages/assay/src/schema/codec.ts";
import { dataMap, jsonValue } from "../../packages/assay/src/schema/free-form.ts";
import { formatRecord } from "../../packages/assay/src/schema/row-format.ts";
import { formatRow } from "../../packages/assay/src/support/json.ts";
import { goldenRows } from "./golden-rows.ts";
import { slowDecode } from "./slow-decode.ts";

it.each(goldenRows.map(({ place, schema, wire }) => [place, schema, wire] as const))(
  "writes the wire form of a record, whatever the order of its keys: %s",
  (_place, schema, wire) => {
    const record = slowDecode(schema, wire);

    expect(JSON.parse(formatRecord(schema, record))).toEqual(
      JSON.parse(formatRow(toWire(schema, record))),
    );
  },
);

const schema = z.strictObject({
  someText: z.string().nullable().default(null),
  aNumber: z.number().optional(),
  innerList: z.array(z.strictObject({ oneValue: jsonValue(), twoNumbers: z.number() })).optional(),
  byName: dataMap(z.strictObject({ isSet: z.boolean() })),
  either: z.union([z.strictObject({ kindOf: z.literal("x") }), z.array(z.string())]).optional(),
});

const number = fc.oneof(fc.double(), fc.integer());
const record = fc.record(
  {
    someText: fc.option(fc.string({ unit: "binary" })),
    aNumber: number,
    innerList: fc.array(fc.record({ oneValue: fc.jsonValue(), twoNumbers: number })),
    byName: fc.dictionary(fc.string(), fc.record({ isSet: fc.boolean() })),
    either: fc.oneof(fc.constant({ kindOf: "x" }), fc.array(fc.string())),
  },
  { requiredKeys: ["byName"] },
);

it("writes what renaming the keys and then writing gives, byte by byte, in the order of the schema", () => {
  fc.assert(
    fc.property(record, (given) => {
      const value = Object.fromEntries(
        Object.keys(schema.shape).map((name) => [name, given[name as keyof typeof given]]),
      );

      expect(formatRecord(schema, value)).toBe(formatRow(toWire(schema, value)));
    }),
    { numRuns: 1000 },
  );
});

it("keeps a key called __proto__", () => {
  const byName = JSON.parse('{"__proto__":{"isSet":true}}') as unknown;

  expect(formatRecord(schema, { byName })).toBe('{"by_name":{"__proto__":{"is_set":true}}}');
});
