import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import {
  didYouMean,
  listNames,
  suggestName,
  toSnakeCase,
} from "../../packages/assay/src/support/names.ts";

describe("toSnakeCase", () => {
  it.each([
    ["timeoutS", "timeout_s"],
    ["id", "id"],
    ["maxConcurrentTasks", "max_concurrent_tasks"],
    ["p10", "p10"],
    ["sha256", "sha256"],
    ["isAtEnd", "is_at_end"],
  ])("of %s is %s", (camel, snake) => {
    expect(toSnakeCase(camel)).toBe(snake);
  });

  it("gives different names different spellings", () => {
    const camelName = fc.stringMatching(/^[a-z][a-z0-9]{0,5}([A-Z][a-z0-9]{0,5}){0,3}$/);
    void fc.assert(
      fc.property(camelName, camelName, (a, b) => {
        expect(toSnakeCase(a) === toSnakeCase(b)).toBe(a === b);
      }),
    );
  });
});

describe("suggestName", () => {
  it.each([
    ["timeout_s", ["timeoutS", "model"], "timeoutS"],
    ["timeoutS", ["timeout_s", "model"], "timeout_s"],
    ["timeout-s", ["timeout_s"], "timeout_s"],
    ["TIMEOUT_S", ["timeout_s"], "timeout_s"],
    ["timeot_s", ["timeout_s", "model"], "timeout_s"],
    ["modle", ["timeout_s", "model"], "model"],
    ["modl", ["timeout_s", "model"], "model"],
    ["exact_match", ["exact-match", "string-check"], "exact-match"],
    ["reward", ["timeout_s", "model"], null],
    ["a", ["b"], "b"],
    ["", ["model"], null],
    ["anything", [], null],
    ["constructor", ["model"], null],
  ])("for %j among %j is %j", (given, known, suggestion) => {
    expect(suggestName(given, known)).toBe(suggestion);
  });
});

describe("didYouMean", () => {
  it("is a phrase to put behind a name, or nothing", () => {
    expect(didYouMean("modl", ["model"])).toBe(' (did you mean "model"?)');
    expect(didYouMean("reward", ["model"])).toBe("");
  });
});

describe("listNames", () => {
  it.each([
    [[], ""],
    [["a", "b"], "a, b"],
    [["a", "b", "c", "d"], "a, b, and 2 more"],
  ])("of %j at most two is %j", (names, text) => {
    expect(listNames(names, 2)).toBe(text);
  });
});
