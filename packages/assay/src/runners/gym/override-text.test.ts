import { describe, expect, it } from "vitest";

import type { JsonObject } from "../../support/json.ts";
import { hydraOverrides } from "./override-text.ts";

// The rows of the specification (runners §7.a).
describe("settings for Hydra", () => {
  it.each<[JsonObject, readonly string[]]>([
    [{ a: null, b: true, c: false, d: 1.5 }, ["++a=null", "++b=true", "++c=false", "++d=1.5"]],
    [{ a: "text" }, ["++a='text'"]],
    [{ a: "true", b: "1" }, ["++a='true'", "++b='1'"]],
    [{ a: "it's" }, ["++a='it\\'s'"]],
    [{ a: "back\\slash" }, ["++a='back\\slash'"]],
    [{ a: "${oc.env:KEY}" }, ["++a='${oc.env:KEY}'"]],
    [{ a: [1, "b", null] }, ["++a=[1,'b',null]"]],
    [{ a: [{ k: "v", l: [true] }] }, ["++a=[{k:'v',l:[true]}]"]],
    [{ a: { b: { c: 1 }, d: 2 } }, ["++a.b.c=1", "++a.d=2"]],
    [{ a: {} }, ["++a={}"]],
    [{ a: { b: {} } }, ["++a.b={}"]],
    [{ "a.b-c": 1 }, ["++a.b-c=1"]],
  ])("%j are %j", (settings, overrides) => {
    expect(hydraOverrides(settings)).toStrictEqual(overrides);
  });

  it.each<[JsonObject, string]>([
    [{ "a b": 1 }, '"a b" is no key that Hydra takes'],
    [{ "1a": 1 }, '"1a" is no key'],
    [{ a: { "b=c": 1 } }, '"b=c" is no key'],
    [{ a: [{ "x y": 1 }] }, '"x y" is no key'],
    [{ null: 1 }, '"null" is no key'],
    [{ NaN: 1 }, '"NaN" is no key'],
    [{ a: "ends in \\" }, "a: a text that ends in a backslash"],
    [{ a: { b: ["\\"] } }, "a.b: a text that ends in a backslash"],
  ])("%j are refused", (settings, problem) => {
    expect(() => hydraOverrides(settings)).toThrow(problem);
  });
});
