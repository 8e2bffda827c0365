import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { digestOf, digestWithList, sha256Hex } from "../../packages/assay/src/support/digest.ts";

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The same data with the keys of every object in another order. */
function reordered(value: Json): Json {
  if (Array.isArray(value)) return value.map(reordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .reverse()
      .map((key) => [key, reordered(Object.getOwnPropertyDescriptor(value, key)?.value as Json)]),
  );
}

const json = fc.jsonValue({ noUnicodeString: false }) as fc.Arbitrary<Json>;

it("digests a list item by item as the whole", () => {
  const words = fc.oneof(fc.string(), fc.constantFrom('"list":[]', "list", '\\"list":[]'));
  void fc.assert(
    fc.property(fc.dictionary(words, words), fc.array(json), (content, list) => {
      expect(digestWithList("plan", content, "list", list)).toBe(
        digestOf("plan", { ...content, list }),
      );
    }),
  );
});

describe("digestOf", () => {
  it("is this text for this content, on every machine and in every version", () => {
    const content = { timeout_s: 1.5, model: "é", list: [3, null, true], nested: { b: 1, a: "" } };

    expect(digestOf("settings", content)).toBe(
      "assay-settings-v1:sha256:9a564a3fb5a3eb6747b8351bd61471fd35a375d9537188417c84b5962d00836c",
    );
  });

  it("does not depend on the order of keys", () => {
    void fc.assert(
      fc.property(json, (value) => {
        expect(digestOf("task", reordered(value))).toBe(digestOf("task", value));
      }),
    );
  });

  it("differs for data that differs", () => {
    void fc.assert(
      fc.property(json, json, (a, b) => {
        const isSame = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));

        expect(digestOf("task", a) === digestOf("task", b)).toBe(isSame);
      }),
    );
  });

  it("differs for the same content of different things", () => {
    const domains = ["settings", "resolved", "plan", "task", "metric", "code", "tasks"] as const;

    expect(new Set(domains.map((domain) => digestOf(domain, {}))).size).toBe(domains.length);
  });
});

describe("sha256Hex", () => {
  it.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ])("of %j is the one of FIPS 180-4", (text, hex) => {
    expect(sha256Hex(text)).toBe(hex);
    expect(sha256Hex(new TextEncoder().encode(text))).toBe(hex);
  });
});

function sorted(value: Json): Json {
  if (Array.isArray(value)) return ["array", value.map(sorted)];
  if (typeof value === "number") return value + 0;
  if (typeof value !== "object" || value === null) return value;
  const keys = Object.keys(value).sort();
  const entries = keys.map((key) => [
    key,
    sorted(Object.getOwnPropertyDescriptor(value, key)?.value as Json),
  ]);
  return ["object", entries];
}
