import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

import { integrityOf } from "../../packages/assay/src/engine/assay-integrity.ts";
import { folder } from "./run-kit.ts";

function installed() {
  const root = folder();
  mkdirSync(join(root, "inner"));
  writeFileSync(join(root, "main.js"), "1");
  writeFileSync(join(root, "inner/part.js"), "2");
  return root;
}

it("the integrity of Assay is one digest of its programs, wherever they are installed", () => {
  const [here, there] = [installed(), installed()];
  const digest = integrityOf(here);

  expect(digest).toMatch(/^assay-package-v1:sha256:[0-9a-f]{64}$/);
  expect(integrityOf(there)).toBe(digest);
  writeFileSync(join(there, "inner/part.d.ts"), "no program");
  writeFileSync(join(there, "main.js.map"), "no program");
  expect(integrityOf(there)).toBe(digest);
});

it.each<[string, (root: string) => void]>([
  ["a byte", (root) => writeFileSync(join(root, "inner/part.js"), "3")],
  ["a name", (root) => renameSync(join(root, "main.js"), join(root, "other.js"))],
  ["a file more", (root) => writeFileSync(join(root, "more.js"), "")],
  ["a file less", (root) => rmSync(join(root, "main.js"))],
])("it changes with %s", (_what, change) => {
  const root = installed();
  const before = integrityOf(root);
  change(root);

  expect(integrityOf(root)).not.toBe(before);
});

it("it is not known where the files cannot be read", () => {
  expect(integrityOf(join(folder(), "none"))).toEqual({ unknown: expect.any(String) });
});
