import { describe, expect, it } from "vitest";

import { fromWire, toWire } from "../../packages/assay/src/schema/codec.ts";
import { formatDocument, formatRow, isPlainObject } from "../../packages/assay/src/support/json.ts";
import { goldenRows } from "./golden-rows.ts";

/** Text in which every own key shows, `__proto__` too, whatever the order. */
const dataOf = (value: unknown) => formatDocument(value);

describe("the NeMo wire format", () => {
  it.each(goldenRows)(
    "reads $place and writes back exactly the same data",
    ({ schema, wire, place }) => {
      const value = fromWire(schema, wire, { source: place });

      expect(dataOf(toWire(schema, value))).toBe(dataOf(wire));
      expect(dataOf(JSON.parse(formatRow(toWire(schema, value))))).toBe(dataOf(wire));
    },
  );

  it.each(goldenRows)(
    "gives $place camelCase names in TypeScript, but leaves the caller's own keys",
    ({ schema, wire, place }) => {
      const value = fromWire(schema, wire, { source: place });

      const text = dataOf(value);
      expect(text).not.toMatch(
        /"(output_text|task_id|value_type|score_type|trial_id|run_id|started_at)":/,
      );
      const ownKeys =
        dataOf(wire).match(/"(__proto__|leftTemplate|left_template|timeoutS|isEmpty|aB|cD)":/g) ??
        [];
      for (const key of ownKeys) expect(text).toContain(key);
    },
  );

  it.each(goldenRows)("lets no key of $place reach a prototype", ({ schema, wire, place }) => {
    expectPlain(fromWire(schema, wire, { source: place }));
    expect({}).not.toHaveProperty("isAdmin");
  });
});

function expectPlain(value: unknown): void {
  if (Array.isArray(value)) {
    for (const item of value) expectPlain(item);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  expect(isPlainObject(value)).toBe(true);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  for (const key of Object.keys(value)) {
    expectPlain(Object.getOwnPropertyDescriptor(value, key)?.value);
  }
}
