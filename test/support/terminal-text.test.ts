import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  cutToWidth,
  displayWidth,
  wrapText,
} from "../../packages/assay/src/support/terminal-text.ts";

const anyText = fc.string({ unit: "grapheme" });

describe("the columns of a text", () => {
  it.each([
    ["plain ASCII", "task-1", 6],
    ["accented letters, composed or not", "e\u0301\u00e9", 2],
    ["Han, kana, Hangul", "日本語カナ한글", 14],
    ["fullwidth forms", "Ａ：", 4],
    ["halfwidth kana", "ｶﾅ", 2],
    ["emoji", "🙂", 2],
    ["an emoji of several characters", "🧑‍💻👍🏽", 4],
    ["a flag", "🇯🇵", 2],
    ["a sign drawn as an emoji", "⚠️", 2],
    ["a sign drawn as text", "⚠", 1],
    ["box drawing", "─│", 2],
  ])("of %s", (_case, text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe("a text that is cut", () => {
  it("keeps its beginning and its end", () => {
    expect(cutToWidth(`${"m".repeat(60)}.pass@8`, 40)).toMatch(/^m{19}\.\.\.m{11}\.pass@8$/);
  });

  it("stays as it is where it fits", () => {
    expect(cutToWidth("日本", 4)).toBe("日本");
  });

  it("is never cut through a character", () => {
    expect(cutToWidth("🧑‍💻".repeat(50), 10)).toBe("🧑‍💻🧑‍💻...🧑‍💻");
  });

  it("never takes more columns than the limit", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 3, max: 50 }), (text, limit) => {
        expect(displayWidth(cutToWidth(text, limit))).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it("is looked at only near its ends, however long it is", () => {
    const huge = `${"日".repeat(5_000_000)}end`;

    expect(cutToWidth(huge, 10)).toBe("日日...end");
  });
});

describe("a text on several lines", () => {
  it("is parted at spaces", () => {
    expect(wrapText("one two three", { width: 8 })).toEqual(["one two", "three"]);
  });

  it("begins as it should, and goes on below its beginning", () => {
    expect(wrapText("one two three", { width: 10, first: "a  " })).toEqual([
      "a  one two",
      "   three",
    ]);
    expect(wrapText("one two three", { width: 10, first: "- ", next: "  > " })).toEqual([
      "- one two",
      "  > three",
    ]);
  });

  it("has words that fit nowhere parted where the line ends, between characters", () => {
    expect(wrapText("ab 日本語日本 c", { width: 5 })).toEqual(["ab", "日本", "語日", "本 c"]);
  });

  it("of nothing is one line, and no line ends with spaces", () => {
    expect(wrapText("", { width: 8, first: "x  " })).toEqual(["x"]);
    expect(wrapText("one  ", { width: 8 })).toEqual(["one"]);
  });

  it("keeps every character but spaces at the ends of lines, and no line is too long", () => {
    fc.assert(
      fc.property(
        fc.array(anyText, { maxLength: 8 }).map((words) => words.join(" ")),
        fc.integer({ min: 8, max: 40 }),
        (text, width) => {
          const lines = wrapText(text, { width, first: "  ", next: "    " });
          const content = lines.map((line, index) => line.slice(index === 0 ? 2 : 4)).join("");

          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
          expect(content.replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
        },
      ),
    );
  });

  it("ends for a line without room", () => {
    expect(wrapText("ab", { width: 0, first: ">" })).toEqual([">a", " b"]);
  });

  it("is read a few times and not once per line, however long one of its words is", () => {
    const lines = wrapText("x".repeat(3_000_000), { width: 80 });

    expect(lines).toHaveLength(37_500);
    expect(lines.every((line) => line.length === 80)).toBe(true);
  });
});
