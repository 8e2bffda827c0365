import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { unifiedDiff } from "../../../packages/assay/src/bundle/evidence/unified-diff.ts";
import { onPath, requireTool } from "../../support/tools.ts";

const diff = (before: string, after: string, context = 3) =>
  unifiedDiff(before, after, { path: "f.txt", context });

const lines = (...numbers: number[]) => numbers.map((number) => `${number}\n`).join("");

describe("a unified diff", () => {
  it("is empty when both texts are equal", () => {
    expect(diff("a\nb\n", "a\nb\n")).toBe("");
  });

  it("shows a changed line with what is around it", () => {
    expect(diff(lines(1, 2, 3, 4, 5, 6, 7, 8, 9), lines(1, 2, 3, 4, 50, 6, 7, 8, 9))).toBe(
      "--- a/f.txt\n+++ b/f.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+50\n 6\n 7\n 8\n",
    );
  });

  it("shows no line around with a context of 0", () => {
    expect(diff(lines(1, 2, 3), lines(1, 3), 0)).toBe(
      "--- a/f.txt\n+++ b/f.txt\n@@ -2 +1,0 @@\n-2\n",
    );
  });

  it("shows a new and a removed file as a diff with nothing", () => {
    expect(diff("", "a\n")).toBe("--- a/f.txt\n+++ b/f.txt\n@@ -0,0 +1 @@\n+a\n");
    expect(diff("a\n", "")).toBe("--- a/f.txt\n+++ b/f.txt\n@@ -1 +0,0 @@\n-a\n");
  });

  it("marks a missing newline at the end", () => {
    expect(diff("a\nb", "a\nb\n")).toBe(
      "--- a/f.txt\n+++ b/f.txt\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
    );
  });

  it("is bounded for two long texts without a common line", () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `a${index}\n`).join("");
    const after = Array.from({ length: 20_000 }, (_, index) => `b${index}\n`).join("");

    expect(diff(before, after).split("\n").length).toBe(40_004);
  });

  it("is a patch that turns the one text into the other", () => {
    requireTool("patch", () => (onPath("patch") === null ? "patch is not installed" : null));
    const folder = mkdtempSync(join(tmpdir(), "assay-diff-"));
    const text = fc
      .tuple(
        fc.array(fc.constantFrom("a", "b", "c", ""), { maxLength: 25 }),
        fc.constantFrom("", "\n"),
      )
      .map(([parts, end]) => parts.join("\n") + (parts.length === 0 ? "" : end));
    const property = fc.property(
      text,
      text,
      fc.integer({ min: 0, max: 4 }),
      (before, after, context) => {
        const file = join(folder, "f.txt");
        writeFileSync(file, before);

        const patch = diff(before, after, context);
        if (patch !== "") {
          const result = spawnSync("patch", ["-s", "--posix", "-u", file], {
            input: patch,
            encoding: "utf8",
          });
          expect(`${result.stdout}${result.stderr}`).toBe("");
        }

        expect(readFileSync(file, "utf8")).toBe(after);
      },
    );
    try {
      fc.assert(property, { numRuns: 60 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
