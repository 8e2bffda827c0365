import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repoRoot } from "./tools.ts";

export interface Tree {
  /** Absolute path of the folder. */
  readonly root: string;
  remove(): void;
}

/** A folder of files outside the checkout; keys are paths, values are contents. */
export function makeTree(files: Readonly<Record<string, string>>): Tree {
  const root = mkdtempSync(join(tmpdir(), "assay-tree-"));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Lets the tree see the packages that the checkout has installed. */
export function linkModules(tree: Tree): void {
  symlinkSync(join(repoRoot, "node_modules"), join(tree.root, "node_modules"));
}
