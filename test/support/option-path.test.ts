import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { formatOptionPath, parseOptionPath } from "../../packages/assay/src/support/option-path.ts";

describe("the path of an option", () => {
  it.each<[readonly string[], string]>([
    [["model"], "model"],
    [["limits", "memory_mb"], "limits.memory_mb"],
    [["config_overrides", "a.b", "c"], 'config_overrides."a.b".c'],
    [["env", ""], 'env.""'],
    [["env", 'a"b'], 'env."a\\"b"'],
  ])("%j is written %s", (segments, text) => {
    expect(formatOptionPath(segments)).toBe(text);
  });

  it("is read back as what was written, and no two are written alike", () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), (segments) => {
        expect(parseOptionPath(formatOptionPath(segments))).toEqual(segments);
      }),
    );
  });
});
