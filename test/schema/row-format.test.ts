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

/** All keys of it are always there, as in the rows of a bundle. */
const closed = z.strictObject({
  firstText: z.string(),
  isSet: z.boolean(),
  oneNumber: z.number().nullable(),
  anotherNumber: z.number().nullable().default(null),
  kindOf: z.enum(["x", "y"]).nullable(),
  aText: z.string().nullable(),
  inner: z.strictObject({ first: z.number().nullable(), second: z.string().nullable() }).nullable(),
  last: z.array(z.strictObject({ oneValue: jsonValue() })),
  data: dataMap(jsonValue()),
  end: z.string().nullable(),
});
const nullable = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 });
const text = fc.string({ unit: "binary" });
const closedRecord = fc.record({
  firstText: text,
  isSet: fc.boolean(),
  oneNumber: nullable(number),
  anotherNumber: nullable(number),
  kindOf: nullable(fc.constantFrom("x", "y")),
  aText: nullable(text),
  inner: nullable(fc.record({ first: nullable(number), second: nullable(text) })),
  last: fc.array(fc.record({ oneValue: fc.jsonValue() })),
  data: fc.dictionary(text, fc.jsonValue()),
  end: nullable(text),
});
const orderOf = (given: object) =>
  Object.fromEntries(Object.keys(closed.shape).map((name) => [name, given[name as never]]));

it("writes an object whose keys are all there part by part, whichever are null, byte by byte the same", () => {
  fc.assert(
    fc.property(closedRecord, (given) => {
      const value = orderOf(given);

      expect(formatRecord(closed, value)).toBe(formatRow(toWire(closed, value)));
    }),
    { numRuns: 2000 },
  );
});

it("shows each text that somebody else gave", () => {
  const isShown = (value: unknown, seen: string): boolean =>
    typeof value !== "string" || seen.includes(formatRow(value).slice(1, -1));
  fc.assert(
    fc.property(closedRecord, (given) => {
      const seen: string[] = [];
      formatRecord(closed, orderOf(given), {
        escaped: (shown) => {
          const escaped = formatRow(shown).slice(1, -1);
          seen.push(escaped);
          return escaped;
        },
        data: (json) => {
          seen.push(json);
          return json;
        },
      });
      const all = seen.join("\n");
      const texts = [given.firstText, given.aText, given.inner?.second, given.end];
      const data = [...given.last.map(({ oneValue }) => oneValue), ...Object.keys(given.data)];

      expect(
        [...texts, ...data, ...Object.values(given.data)].every((it) => isShown(it, all)),
      ).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

it("writes what is not as its schema says the way JSON does", () => {
  fc.assert(
    fc.property(closedRecord, fc.constantFrom(...Object.keys(closed.shape)), (given, name) => {
      for (const wrong of [undefined, 1, true, "text", [1], { a: 1 }]) {
        const value = { ...orderOf(given), [name]: wrong };

        expect(formatRecord(closed, value)).toBe(formatRow(toWire(closed, value)));
      }
    }),
    { numRuns: 300 },
  );
});

it("keeps a key called __proto__", () => {
  const byName = JSON.parse('{"__proto__":{"isSet":true}}') as unknown;

  expect(formatRecord(schema, { byName })).toBe('{"by_name":{"__proto__":{"is_set":true}}}');
});
