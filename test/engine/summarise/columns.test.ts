import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  createColumn,
  createTextColumn,
} from "../../../packages/assay/src/engine/summarise/columns.ts";

describe("a column", () => {
  it("takes little for one number: a metric may have 100,000 outputs", () => {
    const before = process.memoryUsage().arrayBuffers;
    const columns = Array.from({ length: 10_000 }, (_item, index) => {
      const column = createColumn();
      column.push(index);
      return column;
    });

    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000 * 200);
    expect(columns.map((column) => column.at(0))).toEqual([...columns.keys()]);
  });

  it("takes a byte for a small whole number, and two or four for neighbours that are near each other", () => {
    const perNumber = (at: (index: number) => number) => {
      const before = process.memoryUsage().arrayBuffers;
      const column = createColumn();
      for (let index = 0; index < 1_000_000; index += 1) column.push(at(index));
      expect(column.at(999_999)).toBe(at(999_999));
      return (process.memoryUsage().arrayBuffers - before) / 1_000_000;
    };

    expect(perNumber((index) => index % 100)).toBeLessThan(1.5);
    expect(perNumber((index) => 3_000_000_000 + index)).toBeLessThan(4);
    expect(perNumber((index) => (index % 7) / 7)).toBeGreaterThan(7);
  });

  it("gives back any numbers in any order", () => {
    const whole = fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.integer({ min: -200, max: 200 }));
    fc.assert(
      fc.property(fc.array(fc.oneof(whole, fc.double()), { size: "large" }), (values) => {
        const column = createColumn();
        for (const value of values) column.push(value);

        const kept = values.map((value) => value + 0);
        expect([...column.toArray()]).toEqual(kept);
        expect(values.map((_, index) => column.at(index))).toEqual(kept);
      }),
    );
  });

  it("gives back what was put in, across its chunks", () => {
    const column = createColumn();
    const values = Array.from({ length: 10_000 }, (_, index) => index / 3);
    for (const value of values) column.push(value);

    expect(column.length).toBe(10_000);
    expect(column.at(9_999)).toBe(9_999 / 3);
    expect([...column.toArray()]).toEqual(values);
  });
});

describe("a text column", () => {
  it("gives back any text, halves of surrogate pairs included", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (texts) => {
        const column = createTextColumn();
        for (const text of [...texts, "\ud800x", "é", ""]) column.push(text);

        expect(texts.map((_, index) => column.at(index))).toEqual(texts);
        expect(column.at(texts.length)).toBe("\ud800x");
        expect(column.at(texts.length + 2)).toBe("");
      }),
    );
  });

  it("holds texts larger than its blocks between small ones", () => {
    const column = createTextColumn();
    const large = "x".repeat(200_000);
    const texts = ["a", large, "b", `${large}日本`, "c"];
    for (const text of texts) column.push(text);

    expect(texts.map((_, index) => column.at(index))).toEqual(texts);
  });
});
