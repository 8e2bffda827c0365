import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

import { reseal } from "../../support/reseal.ts";
import { storedRows } from "../run-kit.ts";
import { contradicting, first, placed, refOf, spoilt } from "./hostile-tables.ts";
import { forgeRows, forgeText, named, sealedRun, verified } from "./verify-kit.ts";

describe.each([
  ["reaches out or is too large", placed],
  ["is not read alike by everybody", spoilt],
  ["contradicts itself", contradicting],
])("a stranger's bundle that %s", (_kind, table) => {
  it.each(table)(
    "with $what is named, with exit code 5: $problem",
    async ({ make, problem, message }) => {
      const { dir, root } = await sealedRun();
      writeFileSync(join(root, "outside"), "secret of the reader");
      const [row] = storedRows(dir, "evidence.jsonl");
      make(dir, join(dir, String(row?.["path"]), ".."));

      const found = await verified(dir);

      expect(found.exitCode).toBe(5);
      expect(named(found).filter((text) => text.endsWith(problem))).not.toEqual([]);
      expect(found.problems.map((one) => `${one.path}: ${one.message}`).join("\n")).toContain(
        message,
      );
      expect(JSON.stringify(found)).not.toContain("secret of the reader");
    },
  );
});

it("a line of 10 MB is read within bounds, and what it says is compared like any other", async () => {
  const { dir } = await sealedRun();
  forgeText(dir, "trials.jsonl", (text) =>
    text.replace('"yes"', JSON.stringify("y".repeat(10 << 20))),
  );

  expect(await verified(dir)).toMatchObject({ verdict: "verified", problems: [] });
});

it("a million problems are counted, and the first of them named", async () => {
  const { dir } = await sealedRun();
  const [row] = storedRows(dir, "scores.jsonl");
  const text = `${JSON.stringify({ ...row, trial_id: "none" })}\n`;
  appendFileSync(join(dir, "scores.jsonl"), text.repeat(30_000));
  reseal(dir);

  const found = await verified(dir);

  expect(found.problemCount).toBeGreaterThanOrEqual(30_000);
  expect(found.problems.length).toBeLessThan(100);
});

it.each(["/etc/hostname", "file:///etc/hostname", "C:\\Users"])(
  "an absolute ref, %s, is noted and not followed: a runner may name what is not its own",
  async (ref) => {
    const { dir } = await sealedRun();
    forgeRows(dir, "trials.jsonl", (rows) => first(rows, refOf(ref)));

    const found = await verified(dir);

    expect(found.verdict).toBe("verified");
    expect(found.notes.join()).toContain(JSON.stringify(ref));
    expect(found.notes.join()).toContain("nothing follows it");
  },
);

it("a derived file that names the digest of the bundle is no alteration", async () => {
  const { dir, digest } = await sealedRun();
  writeFileSync(join(dir, "report.html"), `${"x".repeat(200_000)}<meta content="${digest}">`);

  expect((await verified(dir)).problems).toEqual([]);
});
