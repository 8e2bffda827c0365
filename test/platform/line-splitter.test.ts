import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter } from "../../packages/assay/src/platform/line-splitter.ts";
import { wholeCharactersEnd } from "../../packages/assay/src/platform/whole-characters.ts";

function split(chunks: readonly Uint8Array[], maxBytes?: number): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), maxBytes);
  for (const chunk of chunks) splitter.push(chunk);
  splitter.end();
  return lines;
}

/** The bytes in pieces, cut wherever the numbers say, in the middle of characters too. */
function cutUp(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
  const starts = [0, ...places];
  return starts.map((start, index) => bytes.subarray(start, starts[index + 1] ?? bytes.length));
}

const text = fc.string({ unit: "grapheme", maxLength: 20 });
const line = text.filter((value) => !/[\n\r]/.test(value));

describe("parting bytes into lines", () => {
  it.each([
    { bytes: "", lines: [] },
    { bytes: "\n", lines: [""] },
    { bytes: "a", lines: ["a"] },
    { bytes: "a\n", lines: ["a"] },
    { bytes: "a\r\nb\r\n", lines: ["a", "b"] },
    { bytes: "a\rb\n", lines: ["a\rb"] },
    { bytes: "a\r\r\n", lines: ["a\r"] },
    { bytes: "\n\na\n\nb", lines: ["", "", "a", "", "b"] },
    { bytes: "\u2028a\u0085\n", lines: ["\u2028a\u0085"] },
  ])("$bytes", ({ bytes, lines }) => {
    expect(split([Buffer.from(bytes)])).toEqual(lines);
  });

  it("gives the same lines whatever the chunks are", () => {
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat()), fc.boolean(), (lines, cuts, isDos) => {
        const end = isDos ? "\r\n" : "\n";
        const bytes = Buffer.from(lines.map((one) => one + end).join(""));

        expect(split(cutUp(bytes, cuts))).toEqual(lines);
      }),
    );
  });

  it("keeps nothing of a chunk whose memory is used again", () => {
    const lines: string[] = [];
    const splitter = new LineSplitter((one) => lines.push(one));
    const chunk = Buffer.from("abc");
    splitter.push(chunk);
    chunk.fill("x");
    splitter.push(Buffer.from("d\n"));

    expect(lines).toEqual(["abcd"]);
  });

  it("cuts a long line at a whole character, says so, and starts the next one afresh", () => {
    fc.assert(
      fc.property(line, fc.integer({ min: 1, max: 30 }), fc.array(fc.nat()), (long, max, cuts) => {
        const bytes = Buffer.from(`${long}\nnext`);
        const [shown = "", second] = split(cutUp(bytes, cuts), max);

        const isCut = Buffer.byteLength(long) > max;
        const first = isCut ? shown.replace(/…$/, "") : shown;
        expect(shown).toBe(isCut ? `${first}…` : long);
        expect(long.startsWith(first)).toBe(true);
        expect(Buffer.byteLength(first)).toBeLessThanOrEqual(max);
        expect(Buffer.byteLength(first)).toBeGreaterThan(
          Math.min(max, Buffer.byteLength(long)) - 4,
        );
        expect(second).toBe(max < 4 ? `${"next".slice(0, max)}…` : "next");
      }),
    );
  });

  it("takes a line of 64 MiB in 65536 chunks: joining at every chunk would move 2 TiB", () => {
    const chunk = Buffer.alloc(1024, "x");
    const chunks = Array.from({ length: 65_536 }, () => chunk);

    expect(split(chunks).map((one) => one.length)).toEqual([65_536 * 1024]);
  });
});

describe("the end of the last whole character", () => {
  it("is where a cut text has lost no more than one character", () => {
    fc.assert(
      fc.property(text, fc.nat(), (whole, cut) => {
        const bytes = Buffer.from(whole);
        const head = bytes.subarray(0, cut % (bytes.length + 1));
        const kept = head.subarray(0, wholeCharactersEnd(head)).toString("utf8");

        expect(whole.startsWith(kept)).toBe(true);
        expect(head.length - Buffer.byteLength(kept)).toBeLessThan(4);
      }),
    );
  });

  it.each([
    { bytes: [0x61, 0xff], end: 2 },
    { bytes: [0x80, 0x80, 0x80, 0x80], end: 4 },
    { bytes: [0xc3], end: 0 },
    { bytes: [0xc3, 0xa9], end: 2 },
    { bytes: [0xf0, 0x9f, 0x98], end: 0 },
    { bytes: [], end: 0 },
  ])("of $bytes is $end", ({ bytes, end }) => {
    expect(wholeCharactersEnd(Uint8Array.from(bytes))).toBe(end);
  });
});
