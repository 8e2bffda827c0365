import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { JsonMembers } from "../../packages/assay/src/bundle/json-members.ts";
import { setOwn } from "../../packages/assay/src/support/json.ts";

/** Reads a text in chunks of these sizes, and puts the members together again. */
function read(text: string | Uint8Array, sizes: readonly number[] = [7], apart = ["apart"]) {
  const whole: Record<string, unknown> = {};
  const parts: Record<string, unknown> = {};
  const members = new JsonMembers("file.json", apart, (outer, key, value) => {
    setOwn(outer === null ? whole : parts, key, value);
  });
  const bytes = Buffer.from(text);
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1;
    const chunk = Buffer.from(bytes.subarray(at, at + size));
    members.add(chunk);
    chunk.fill(0);
    at += size;
  }
  members.end();
  return { whole, parts };
}

describe("a document that is read member by member", () => {
  it("gives what JSON.parse gives, whatever it holds, however it is laid out, in whatever chunks it comes", () => {
    const inner = fc.dictionary(fc.string(), fc.jsonValue());
    const document = fc.record({ rest: inner, apart: inner });
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });
    const indent = fc.constantFrom(undefined, 2, "\t\n ");

    fc.assert(
      fc.property(document, sizes, indent, ({ rest, apart }, chunks, space) => {
        const { apart: _other, ...others } = rest;
        const text = JSON.stringify({ ...others, apart }, null, space);
        const { whole, parts } = read(text, chunks);
        expect(JSON.stringify(whole)).toBe(JSON.stringify(JSON.parse(JSON.stringify(others))));
        expect(parts).toEqual(JSON.parse(JSON.stringify(apart)));
      }),
      { numRuns: 300 },
    );
  });

  it("takes a byte order mark, blank space around it, and a member of that name that is no object", () => {
    expect(read('\uFEFF \n{"a":1}\n').whole).toEqual({ a: 1 });
    expect(read('{"apart":[{"apart":{"x":1}}]}').whole).toEqual({ apart: [{ apart: { x: 1 } }] });
    expect(read('{"deep":{"apart":{"x":1}}}').whole).toEqual({ deep: { apart: { x: 1 } } });
    expect(read("{}").whole).toEqual({});
    expect(read('{"apart":{}}').parts).toEqual({});
  });

  it("is refused for every text that JSON.parse refuses, and for a key that stands twice", () => {
    const broken = fc
      .tuple(
        fc.constantFrom('{"a":1,"apart":{"x":[1,{"y":"\\""}],"z":{}},"b":{"c":""}}'),
        fc.nat(),
        fc.constantFrom("", ",", "{", "}", '"', "]", "[", ":", "q"),
      )
      .map(([text, at, by]) => {
        const place = at % text.length;
        return text.slice(0, place) + by + text.slice(place + 1);
      });
    fc.assert(
      fc.property(broken, (text) => {
        let isJson = true;
        try {
          const value: unknown = JSON.parse(text);
          isJson = typeof value === "object" && value !== null && !Array.isArray(value);
        } catch {
          isJson = false;
        }
        if (isJson) expect(() => read(text)).not.toThrow();
        else expect(() => read(text)).toThrow(/file\.json/);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['{"a":1,"a":2}', "twice"],
    ['{"apart":{"x":1,"x":2}}', "twice"],
    ['{"apart":{},"apart":{}}', "twice"],
    ['{"a":{"b":1,"b":2}}', "twice"],
    ['{"a":1,}', "missing"],
    ['{,"a":1}', "missing"],
    ['{"apart":{"x":1,},"b":2}', "missing"],
    ['{"a":1} {"b":2}', "no object"],
    ["[1]", "no object"],
    ['"text"', "torn"],
    ["", "torn"],
    ['{"a":1', "torn"],
    ['{"a":1}x', "torn"],
    ['{"apart":{"x":1} 2}', "comma"],
  ])("%s is refused: %s", (text, problem) => {
    expect(() => read(text)).toThrow(problem);
  });

  it("is refused when it holds other bytes than UTF-8", () => {
    const bytes = Buffer.from('{"a":"x"}');
    bytes[6] = 0xff;

    expect(() => read(bytes)).toThrow("no UTF-8");
  });
});
