import { describe, expect, it } from "vitest";

import { floatText, pythonText } from "../../packages/assay/src/templates/python-text.ts";

// Expected values were printed by Python 3.11: str(value) and repr(value).
describe("pythonText", () => {
  it.each([
    ["text", "text"],
    [true, "True"],
    [false, "False"],
    [null, "None"],
    [5, "5"],
    [1.5, "1.5"],
    [[], "[]"],
    [{}, "{}"],
    [["a", 1, null, true, 2.5], "['a', 1, None, True, 2.5]"],
    [{ b: { c: ["d"] } }, "{'b': {'c': ['d']}}"],
    [["it's"], `["it's"]`],
    [['it\'s "so"'], `['it\\'s "so"']`],
    [["a\nb\t\\"], "['a\\nb\\t\\\\']"],
    [["\u0000\u007f\u00a0\u200b\u{e000}"], "['\\x00\\x7f\\xa0\\u200b\\ue000']"],
    [["é ☃ 😀"], "['é ☃ 😀']"],
    [new Map([["a", undefined]]), "{'a': None}"],
  ])("%j prints as %s", (value, text) => {
    expect(pythonText(value)).toBe(text);
  });
});

describe("floatText", () => {
  it.each([
    [2, "2.0"],
    [0, "0.0"],
    [-0, "-0.0"],
    [0.1, "0.1"],
    [1e15, "1000000000000000.0"],
    [1e16, "1e+16"],
    [1.5e21, "1.5e+21"],
    [0.0001, "0.0001"],
    [0.00001, "1e-05"],
    [1.5e-7, "1.5e-07"],
    [1e-300, "1e-300"],
    [1 / 3, "0.3333333333333333"],
    [Number.NaN, "nan"],
    [Number.POSITIVE_INFINITY, "inf"],
    [Number.NEGATIVE_INFINITY, "-inf"],
  ])("%d prints as %s", (value, text) => {
    expect(floatText(value)).toBe(text);
  });
});
