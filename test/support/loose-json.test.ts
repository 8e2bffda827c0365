import fc from "fast-check";
import { expect, it } from "vitest";

import { parseLooseJson } from "../../packages/assay/src/support/loose-json.ts";

const parse = (text: string) => parseLooseJson(text, "it", (word) => `<${word}>`);

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

it.each(["{", "nan", '{"a": NaN', '"NaN', "[NaN", "NaNs", '"\\'])("refuses %j", (text) => {
  expect(() => parse(text)).toThrow("it");
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
