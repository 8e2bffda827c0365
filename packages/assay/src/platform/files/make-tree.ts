import { mkdirSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

import { systemCodeOf } from "./system-errors.ts";

const privateMode = 0o700;

/**
 * Makes a directory and the parents that are absent; one that exists is fine, also through a link.
 * Node's own recursive form never ends where the system denies a name with ENOENT, as it does below /proc.
 */
export async function makeTree(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: privateMode });
  } catch (thrown) {
    const parent = dirname(path);
    if (systemCodeOf(thrown) === "ENOENT" && parent !== path) {
      await makeTree(parent);
      await mkdir(path, { mode: privateMode }).catch(async (again: unknown) => {
        if (!(await isDirectory(path, again))) throw again;
      });
    } else if (!(await isDirectory(path, thrown))) throw thrown;
  }
}

export function makeTreeSync(path: string): void {
  try {
    mkdirSync(path, { mode: privateMode });
  } catch (thrown) {
    const parent = dirname(path);
    if (systemCodeOf(thrown) === "ENOENT" && parent !== path) {
      makeTreeSync(parent);
      mkdirSync(path, { mode: privateMode });
    } else if (systemCodeOf(thrown) !== "EEXIST" || !statSync(path).isDirectory()) throw thrown;
  }
}

/** Whether a directory was there already, made by somebody else a moment ago perhaps. */
async function isDirectory(path: string, thrown: unknown): Promise<boolean> {
  return systemCodeOf(thrown) === "EEXIST" && (await stat(path)).isDirectory();
}
