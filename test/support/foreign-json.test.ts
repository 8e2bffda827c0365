import fc from "fast-check";
import { expect, it } from "vitest";

import { parseForeignJson } from "../../packages/assay/src/support/foreign-json.ts";

const parse = (text: string) => parseForeignJson(text, "it", (word) => `<${word}>`);

it("takes the numbers that Python writes, and leaves texts as they are", () => {
  expect(
    parse('{"a":NaN,"b":[-Infinity,Infinity],"c":"NaN \\"Infinity\\\\","NaN":1}'),
  ).toStrictEqual({
    a: "<NaN>",
    b: ["<-Infinity>", "<Infinity>"],
    c: 'NaN "Infinity\\',
    NaN: 1,
  });
});

it.each(["{", "nan", '{"a": NaN', '"NaN', "[NaN", "NaNs", "[-NaN]", '"\\'])(
  "refuses %j",
  (text) => {
    expect(() => parse(text)).toThrow("it");
  },
);

it.each([
  ['{"reward":1,"reward":0}', 'it: the key "reward" of an object stands in it twice'],
  ['[{"a":{"b":NaN,"\\u0062":2}}]', 'it: the key "b" of an object stands in it twice'],
  [
    `[${"[".repeat(5000)}${"]".repeat(5000)},{"a":1,"a":2}]`,
    "it: a key of an object stands in it twice",
  ],
])("refuses what says two things: %.30s", (text, problem) => {
  expect(() => parse(text)).toThrow(problem);
});

it("takes what is nested deep, and counts it without a call for each level", () => {
  const deep = `${'{"a":['.repeat(50_000)}${"]}".repeat(50_000)}`;
  expect(Object.keys(parse(deep) as object)).toStrictEqual(["a"]);
});

it("leaves the words of Python to those who ask for them", () => {
  expect(() => parseForeignJson("[NaN]", "it")).toThrow("it is not JSON");
});

it("takes whatever JSON takes, with such numbers among it", () => {
  fc.assert(
    fc.property(fc.json(), fc.string(), (json, text) => {
      const given = `[${JSON.stringify(text)},NaN,${json}]`;
      expect(parse(given)).toStrictEqual([text, "<NaN>", JSON.parse(json)]);
    }),
  );
});

it("takes texts of many megabytes, whole or torn", () => {
  const long = `["${"x\\n".repeat(4_000_000)}",NaN]`;
  expect((parse(long) as unknown[])[1]).toBe("<NaN>");
  expect(() => parse(long.slice(0, -1))).toThrow("it");
});
