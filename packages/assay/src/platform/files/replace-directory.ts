import { renameSync } from "node:fs";

import { removeTree } from "./remove-tree.ts";
import { writing } from "./system-errors.ts";

export async function replaceDirectory(from: string, to: string): Promise<void> {
  const before = `${to}-before`;
  await writing(to, async () => exchange(from, to, before));
  await removeTree(before);
}

/** At once: nothing else of this process runs between the two. */
function exchange(from: string, to: string, before: string): void {
  renameSync(to, before);
  try {
    renameSync(from, to);
  } catch (thrown) {
    renameSync(before, to);
    throw thrown;
  }
}
