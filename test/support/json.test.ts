import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  copyPlain,
  describeKind,
  documentWithList,
  formatDocument,
  formatRow,
  getOwn,
  isJson,
  isPlainObject,
  parseJson,
  setOwn,
  sortKeys,
  whyNotJson,
} from "../../packages/assay/src/support/json.ts";

class Provider {
  readonly name = "p";
}

describe("whyNotJson", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic["self"] = cyclic;

  it.each([
    ["an instance", { a: [1, new Provider()] }, "a[1] is an instance of Provider"],
    ["a function", { a: { b: () => 1 } }, "a.b is a function"],
    ["undefined", { a: undefined }, "a is undefined"],
    ["undefined itself", undefined, "value is undefined"],
    ["a bigint", 1n, "value is a bigint"],
    ["a symbol", [Symbol("s")], "[0] is a symbol"],
    ["a date", { at: new Date(0) }, "at is an instance of Date"],
    ["a map", new Map(), "value is an instance of Map"],
  ])("names the place and kind of %s", (_what, value, reason) => {
    expect(whyNotJson(value)).toBe(reason);
    expect(isJson(value)).toBe(false);
  });

  it("ends on data that holds itself", () => {
    expect(whyNotJson(cyclic)).toMatch(/^(self\.)+self is nested too deep$/);
  });

  it.each([
    [
      "numbers that are not finite, which rows write as text",
      [Number.NaN, Number.POSITIVE_INFINITY],
    ],
    ["objects without a prototype", Object.assign(Object.create(null), { a: 1 })],
    ["a key named __proto__", JSON.parse('{"__proto__":{"a":[]}}')],
  ])("accepts %s", (_what, value) => {
    expect(whyNotJson(value)).toBeNull();
  });

  it("accepts all that JSON text can hold", () => {
    void fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(whyNotJson(value)).toBeNull();
      }),
    );
  });
});

describe("formatRow", () => {
  it("writes strict JSON on one line, whatever the numbers and texts are", () => {
    const row = {
      a: Number.NaN,
      b: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      c: "\n\ud800é",
      d: -0,
    };

    expect(formatRow(row)).toBe('{"a":"NaN","b":["Infinity","-Infinity"],"c":"\\n\\ud800é","d":0}');
  });

  it("comes back as the same data", () => {
    void fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = formatRow(value);

        expect(text).not.toContain("\n");
        expect(JSON.parse(text)).toStrictEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});

it("writes a document with a long list in pieces that are the text of the whole", () => {
  const words = fc.oneof(fc.string(), fc.constantFrom('\n  "list": []', "list", "more"));
  void fc.assert(
    fc.property(
      fc.dictionary(words, fc.oneof(words, fc.dictionary(words, fc.constant([])))),
      fc.array(fc.jsonValue()),
      (document, list) => {
        const text = [...documentWithList(document, "list", list)].join("");
        expect(text).toBe(formatDocument({ ...document, list }));
      },
    ),
  );
});

describe("formatDocument", () => {
  it("sorts keys by code units, indents by two and ends with a newline", () => {
    expect(formatDocument({ b: 1, a: [{ d: 1, c: 2 }], B: {} })).toBe(
      '{\n  "B": {},\n  "a": [\n    {\n      "c": 2,\n      "d": 1\n    }\n  ],\n  "b": 1\n}\n',
    );
  });

  it("is the same text for every order of keys, `__proto__` among them", () => {
    const one = JSON.parse('{"b":{"__proto__":1,"a":2},"__proto__":3}');
    const other = JSON.parse('{"__proto__":3,"b":{"a":2,"__proto__":1}}');

    expect(formatDocument(one)).toBe(formatDocument(other));
    expect(formatDocument(one)).toContain('"__proto__": 3');
    expect(Object.keys(sortKeys(one) as object)).toStrictEqual(["__proto__", "b"]);
  });
});

describe("copyPlain", () => {
  it("copies arrays and plain objects all the way down and shares what is neither", () => {
    const provider = new Provider();
    const original = { list: [{ a: 1 }], provider, run: () => 1 };

    const copy = copyPlain(original);

    expect(copy).toStrictEqual(original);
    expect(copy).not.toBe(original);
    expect(copy.list[0]).not.toBe(original.list[0]);
    expect(copy.provider).toBe(provider);
    expect(copy.run).toBe(original.run);
  });

  it("keeps a key named __proto__ an ordinary key", () => {
    const copy = copyPlain(JSON.parse('{"__proto__":{"isAdmin":true}}')) as object;

    expect(Object.keys(copy)).toStrictEqual(["__proto__"]);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
  });
});

describe("own properties", () => {
  it("setOwn never changes a prototype", () => {
    const target = {};

    setOwn(target, "__proto__", { isAdmin: true });

    expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
    expect(JSON.stringify(target)).toBe('{"__proto__":{"isAdmin":true}}');
  });

  it("getOwn finds nothing that is inherited", () => {
    expect(getOwn({}, "constructor")).toBeUndefined();
    expect(getOwn({}, "__proto__")).toBeUndefined();
    expect(getOwn(JSON.parse('{"__proto__":1}'), "__proto__")).toBe(1);
  });
});

describe("isPlainObject and describeKind", () => {
  it.each([
    [{}, true, "an object"],
    [Object.create(null), true, "an object"],
    [[], false, "an array"],
    [null, false, "null"],
    [undefined, false, "undefined"],
    [new Provider(), false, "an instance of Provider"],
    ["", false, "a string"],
    [1n, false, "a bigint"],
    [() => 1, false, "a function"],
  ])("%s: %s, %s", (value, isPlain, kind) => {
    expect(isPlainObject(value)).toBe(isPlain);
    expect(describeKind(value)).toBe(kind);
  });
});

describe("parseJson", () => {
  it("names the source of a text that is not JSON", () => {
    expect(() => parseJson("{", "suite.json")).toThrow(
      expect.objectContaining({
        code: "ASSAY_CONFIG_INVALID",
        message: expect.stringMatching(/^suite\.json is not JSON: /),
      }),
    );
  });

  it("says why in one line, whatever the text has", () => {
    expect(() => parseJson("garbage\n", "trials.jsonl:3")).toThrow(
      /^trials\.jsonl:3 is not JSON: .+$/,
    );
  });

  it("keeps __proto__ an ordinary key", () => {
    expect(Object.keys(parseJson('{"__proto__":1}', "x") as object)).toStrictEqual(["__proto__"]);
  });
});

describe("functions of JSON that an agent has replaced", () => {
  it("are not used for rows and documents", () => {
    const { parse, stringify } = JSON;
    try {
      JSON.parse = () => "forged";
      JSON.stringify = () => "forged";

      expect(parseJson('{"a":1}', "row")).toEqual({ a: 1 });
      expect(formatRow({ a: 1 })).toBe('{"a":1}');
      expect(formatDocument({ a: 1 })).toBe('{\n  "a": 1\n}\n');
    } finally {
      Object.assign(JSON, { parse, stringify });
    }
  });
});
