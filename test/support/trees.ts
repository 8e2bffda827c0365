import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repoRoot } from "./tools.ts";

/** A folder of files outside the checkout that sees its node_modules; `remove` takes it away. */
export function makeTree(files: Readonly<Record<string, string>>): {
  readonly root: string;
  remove(): void;
} {
  const root = mkdtempSync(join(tmpdir(), "assay-tree-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  symlinkSync(join(repoRoot, "node_modules"), join(root, "node_modules"));
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
