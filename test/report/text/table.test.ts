import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  columnsOf,
  cutText,
  formatNumber,
  formatTable,
} from "../../../packages/assay/src/report/text/table.ts";

const widest = (table: string) => Math.max(...table.split("\n").map((line) => [...line].length));

describe("a table of text", () => {
  it("has its columns where they first appear, numbers to the right, a dash for what is absent", () => {
    const table = formatTable(
      [
        { name: "a", count: 12 },
        { name: "bcd", mode: "x", count: null },
      ],
      80,
    );

    expect(table).toBe(
      ["name  count  mode", "----  -----  ----", "a        12  -", "bcd       -  x"].join("\n"),
    );
  });

  it("without records says so", () => {
    expect(formatTable([], 80)).toBe("(no rows)");
  });

  it("cuts a cell to 40 characters, keeping its end", () => {
    const [, , row] = formatTable([{ name: `${"m".repeat(60)}.pass@8` }], 200).split("\n");

    expect(row).toHaveLength(40);
    expect(row).toMatch(/^m+\.\.\.m+\.pass@8$/);
  });

  it("lets the widest columns give way until it fits the width", () => {
    const record = {
      name: "n".repeat(38),
      note: "o".repeat(38),
      mean: 0.123456,
      score_type: "range",
    };

    const table = formatTable([record], 80);

    expect(widest(table)).toBeLessThanOrEqual(80);
    expect(table).toContain("0.1235  range");
  });

  it("shows control characters of agents and keeps each record on one line", () => {
    const table = formatTable([{ text: "a\u001b[2Jb\nc", list: ["\u202e"] }], 80);

    expect(table.split("\n")).toHaveLength(3);
    expect(table).toContain("a\\x1b[2Jb\\nc");
    expect(table).toContain('["\\u202e"]');
  });

  it("never cuts through a character", () => {
    expect(cutText("🙂".repeat(50), 10)).toBe("🙂🙂🙂🙂...🙂🙂🙂");
    expect(cutText("🙂".repeat(10), 10)).toBe("🙂".repeat(10));
  });

  it("never gives more characters than the limit", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 3, max: 50 }), (text, limit) => {
        expect([...cutText(text, limit)].length).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it.each([
    [3, "3"],
    [0.1 + 0.2, "0.3"],
    [2 / 3, "0.6667"],
    [-0.000012345678, "-0.00001235"],
    [1_234_567, "1234567"],
    [1234567.25, "1234567"],
  ])("writes %d as %s", (value, text) => {
    expect(formatNumber(value)).toBe(text);
  });
});

describe("columns of records", () => {
  it("are the union over all of them, also of what appears late", () => {
    expect(columnsOf([{ a: 1 }, { b: 1, a: 2 }, { error: "x" }])).toEqual(["a", "b", "error"]);
  });
});
