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
      const column = createColumn(Float64Array);
      column.push(index);
      return column;
    });

    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000 * 200);
    expect(columns.map((column) => column.at(0))).toEqual([...columns.keys()]);
  });

  it("gives back what was put in, across its chunks", () => {
    const column = createColumn(Float64Array);
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
