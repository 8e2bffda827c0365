import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { toToml } from "../../../packages/assay/src/runners/codex/toml.ts";
import type { JsonValue } from "../../../packages/assay/src/support/json.ts";

describe("a value on Codex's command line", () => {
  it.each<[string, JsonValue, string]>([
    ["text", "gpt-5", '"gpt-5"'],
    ["text with quotes and backslashes", 'a"b\\c', '"a\\"b\\\\c"'],
    ["text with line ends and tabs", "a\n\r\tb", '"a\\n\\r\\tb"'],
    ["text with control characters", "\u0000\u001b\u007f", '"\\u0000\\u001b\\u007F"'],
    ["text of other scripts", "日本 é 🧑‍💻", '"日本 é 🧑‍💻"'],
    ["half a surrogate pair, which TOML cannot hold", "a\ud83d!", '"a\ufffd!"'],
    ["an empty text", "", '""'],
    ["an integer", 3, "3"],
    ["a negative float", -0.5, "-0.5"],
    ["a large float", 1e300, "1e+300"],
    ["an integer beyond 64 bits", 1e20, "1e+20"],
    ["not a number", Number.NaN, "nan"],
    ["infinity", Number.NEGATIVE_INFINITY, "-inf"],
    ["a boolean", true, "true"],
    ["a list", ["a", 1, false], '["a",1,false]'],
    ["a list with null, which TOML does not have", [null, 1], "[1]"],
    ["an empty list", [], "[]"],
    ["a table", { name: "mock", request_max_retries: 0 }, '{name="mock",request_max_retries=0}'],
    ["a table with null", { a: null, b: 1 }, "{b=1}"],
    ["a table with unusual keys", { "a.b": 1, "": 2, "a b": 3 }, '{"a.b"=1,""=2,"a b"=3}'],
    ["nested tables", { p: { q: ["x"] } }, '{p={q=["x"]}}'],
    ["an empty table", {}, "{}"],
  ])("is TOML for %s", (_case, value, toml) => {
    expect(toToml(value)).toBe(toml);
  });

  it("stays on one line, without control characters, and its texts read back as they were", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const toml = toToml(text);

        expect(toml).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        // Basic strings of TOML have the escapes of JSON.
        expect(JSON.parse(toml)).toBe(text);
      }),
    );
  });

  it("reads back as the same data where JSON and TOML agree: lists of texts, booleans and numbers", () => {
    const leaf = fc.oneof(fc.string({ unit: "grapheme" }), fc.boolean(), fc.integer());
    fc.assert(
      fc.property(fc.array(fc.oneof(leaf, fc.array(leaf))), (list) => {
        expect(JSON.parse(toToml(list as JsonValue))).toEqual(list);
      }),
    );
  });
});
