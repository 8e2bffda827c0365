import fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  visibleJson,
  visibleLine,
  visibleText,
} from "../../packages/assay/src/support/visible-text.ts";

describe("text shown to people", () => {
  it.each([
    ["ANSI colour", "\u001b[31mred\u001b[0m", "\\x1b[31mred\\x1b[0m"],
    ["a title change", "\u001b]0;owned\u0007", "\\x1b]0;owned\\x07"],
    ["a C1 control", "\u009b2J", "\\x9b2J"],
    ["NUL, backspace and delete", "a\u0000\b\u007f", "a\\x00\\x08\\x7f"],
    ["a bidi override", "a\u202egnp.exe", "a\\u202egnp.exe"],
    ["a bidi isolate", "\u2066x\u2069", "\\u2066x\\u2069"],
    ["half a surrogate pair", "a\ud83d!", "a\\ud83d!"],
    ["invisible tag characters", "a\u{e0041}", "a\\u{e0041}"],
    ["a byte order mark", "\ufeffx", "\\ufeffx"],
    ["a lone carriage return", "done\rfake", "done\nfake"],
    ["line ends and tabs, which stay", "a\r\nb\n\tc", "a\nb\n\tc"],
    ["letters of all scripts and joined emoji, which stay", "é日本🧑‍💻", "é日本🧑‍💻"],
  ])("has %s made visible", (_case, raw, shown) => {
    expect(visibleText(raw)).toBe(shown);
  });

  it("fits on one line when it has to", () => {
    expect(visibleLine("a\r\nb\tc\u2028d")).toBe("a\\r\\nb\\tc\\u2028d");
  });

  it("never holds a control character, whatever comes in", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(visibleLine(text)).not.toMatch(/\p{Cc}|\p{Cs}/u);
        expect(visibleText(text)).not.toMatch(/(?![\n\t])\p{Cc}|\p{Cs}/u);
      }),
    );
  });

  it("is the same value in JSON, without a raw one but line feeds between its tokens", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })),
        (document) => {
          const shown = visibleJson(JSON.stringify(document, null, 2));
          expect(shown).not.toMatch(/(?!\n)\p{Cc}|\p{Cs}|[\u2028-\u202e\u2066-\u2069]/u);
          expect(JSON.parse(shown)).toEqual(JSON.parse(JSON.stringify(document)));
        },
      ),
    );
    expect(visibleJson('["\u{e0041}\u202e"]')).toBe('["\\udb40\\udc41\\u202e"]');
  });
});
