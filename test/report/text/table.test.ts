import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  columnsOf,
  formatNumber,
  formatTable,
} from "../../../packages/assay/src/report/text/table.ts";
import { displayWidth } from "../../../packages/assay/src/support/terminal-text.ts";

const linesOf = (...args: Parameters<typeof formatTable>) => formatTable(...args).split("\n");

describe("a table of text", () => {
  it("has its columns where they first appear, numbers to the right, a dash for what is absent", () => {
    const lines = linesOf(
      [
        { name: "a", count: 12 },
        { name: "bcd", mode: "x", count: null },
      ],
      80,
    );

    expect(lines).toEqual([
      "name  count  mode",
      "----  -----  ----",
      "a        12  -",
      "bcd       -  x",
    ]);
  });

  it("without records says so", () => {
    expect(formatTable([], 80)).toBe("(no rows)");
  });

  it("cuts a cell to 40 columns, keeping its end, but never a name", () => {
    const long = `${"m".repeat(60)}.pass@8`;
    const [, , row] = linesOf([{ name: long, note: long }], 200);

    expect(row).toMatch(/^m{60}\.pass@8 {2}m{19}\.\.\.m{11}\.pass@8$/);
  });

  it("writes names that leave no room for figures above them", () => {
    const long = "n".repeat(15);

    expect(
      linesOf(
        [
          { name: long, count: 1 },
          { name: "short", count: 22 },
        ],
        20,
      ),
    ).toEqual(["name   count", "-----  -----", long, "           1", "short     22"]);
  });

  it("parts titles behind the signs that part names, where that makes room for names", () => {
    expect(
      linesOf([{ task: "a-task-of-some-length", "command-verifier.reward": 0.5, "f1.f1": 1 }], 48),
    ).toEqual([
      "                              command-",
      "task                   verifier.reward  f1.f1",
      "---------------------  ---------------  -----",
      "a-task-of-some-length              0.5      1",
    ]);
  });

  it("writes figures beside their titles where columns leave no room at all", () => {
    expect(linesOf([{ name: "a", first: 1, second: null, third: "x" }, { name: "b" }], 24)).toEqual(
      ["a", "  first 1, third x", "b"],
    );
  });

  it("has notes below their rows", () => {
    expect(
      linesOf(
        [
          { name: "a", n: 1 },
          { name: "b", n: 2 },
        ],
        80,
        [["  of a"], []],
      ),
    ).toEqual(["name  n", "----  -", "a     1", "  of a", "b     2"]);
  });

  it("lines up what is drawn wide", () => {
    const [, , first, second] = linesOf(
      [
        { name: "日本🙂", n: 1 },
        { name: "abcdef", n: 2 },
      ],
      80,
    );

    expect([first, second]).toEqual(["日本🙂  1", "abcdef  2"]);
  });

  it("shows control characters of agents and keeps each record on one line", () => {
    const table = formatTable([{ text: "a\u001b[2Jb\nc", list: ["\u202e"], "\u001b": 1 }], 80);

    expect(table.split("\n")).toHaveLength(3);
    expect(table).toContain("a\\x1b[2Jb\\nc");
    expect(table).toContain('["\\u202e"]');
    expect(table).not.toContain("\u001b");
  });

  it("never has a line that is too long", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 60 });
    const cell = fc.oneof(text, fc.double(), fc.boolean(), fc.constant(null));
    const record = fc.record({ name: text, a: cell, "b-c.d_e": cell, f: cell, g: cell });
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 20, max: 120 }),
        (records, width) => {
          for (const line of linesOf(records, width)) {
            expect(displayWidth(line)).toBeLessThanOrEqual(width);
          }
        },
      ),
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
