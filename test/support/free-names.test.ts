import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { FreeNames } from "../../packages/assay/src/support/free-names.ts";

describe("free names", () => {
  it("number those that are taken, in front of their suffix", () => {
    const names = new FreeNames(["log-2.txt"]);

    expect([1, 2, 3].map(() => names.take("log", ".txt"))).toStrictEqual([
      "log.txt",
      "log-3.txt",
      "log-4.txt",
    ]);
    expect(names.take("log")).toBe("log");
  });

  it("are different by what is made of them, where case does not count", () => {
    const names = new FreeNames([], (name) => name.toLowerCase());

    expect(["Log", "LOG", "log-2"].map((name) => names.take(name))).toStrictEqual([
      "Log",
      "LOG-2",
      "log-2-2",
    ]);
  });

  it("are given out once each, however they are asked for", () => {
    const part = fc.stringMatching(/^[aA](-[23])?$/);
    void fc.assert(
      fc.property(fc.array(fc.tuple(part, fc.constantFrom("", ".txt", "-2"))), (asked) => {
        const names = new FreeNames([], (name) => name.toLowerCase());
        const given = asked.map(([name, suffix]) => names.take(name, suffix).toLowerCase());
        expect(new Set(given).size).toBe(asked.length);
      }),
    );
  });
});
