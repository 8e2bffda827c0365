import fc from "fast-check";
import { expect, it } from "vitest";

import { quickCopy, quickDecode, unsure } from "../../packages/assay/src/schema/quick-decode.ts";
import { mapperOf } from "../../packages/assay/src/schema/wire-mapper.ts";
import { formatRow, isPlainObject } from "../../packages/assay/src/support/json.ts";
import { goldenRows } from "./golden-rows.ts";
import { mutated, mutation } from "./mutations.ts";
import { slowDecode } from "./slow-decode.ts";

const rows = goldenRows.filter(({ place }) => !place.startsWith("run.json"));
const whole = rows.filter(({ schema, wire }) => quickDecode(schema, wire) !== unsure);

it("reads most rows of other writers, and every row with all keys as Assay writes it", () => {
  expect(whole.length).toBeGreaterThan(rows.length / 2);
  for (const { schema, wire } of rows) {
    const all = mapperOf(schema).toWire(slowDecode(schema, wire));
    expect(quickDecode(schema, all)).not.toBe(unsure);
  }
});

it("gives what the long way gives, or is unsure, whatever is wrong with a row", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...rows),
      fc.array(mutation, { maxLength: 3 }),
      ({ schema, wire }, mutations) => {
        const row = mutations.reduce(mutated, wire);
        const quick = quickDecode(schema, row);
        if (quick === unsure) return;
        const slow = slowDecode(schema, row);
        expect(quick).toEqual(slow);
        expect(formatRow(quick)).toBe(formatRow(slow));
      },
    ),
    { numRuns: 2000 },
  );
});

it("copies what zod takes, down to the free-form data, or is unsure", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...rows),
      fc.array(mutation, { maxLength: 3 }),
      ({ schema, wire }, mutations) => {
        const value = mutations.reduce(mutated, mapperOf(schema).fromWire(wire, []));
        const copy = quickCopy(schema, value);
        if (copy === unsure) return;
        const before = formatRow(copy);
        expect(before).toBe(formatRow(schema.parse(value)));
        changeAll(value);
        expect(formatRow(copy)).toBe(before);
      },
    ),
    { numRuns: 2000 },
  );
});

/** Changes every object and array in place. */
function changeAll(value: unknown): void {
  if (Array.isArray(value)) {
    value.forEach(changeAll);
    value.push("changed");
  } else if (isPlainObject(value)) {
    Object.values(value).forEach(changeAll);
    value["changed"] = true;
  }
}
