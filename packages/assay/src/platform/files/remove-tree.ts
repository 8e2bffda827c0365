import { realpath, rm } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";

import { AssayError } from "../../errors/assay-error.ts";
import { newToken } from "../../support/ids.ts";
import { type EntryName, factsOf, OpenDirectory } from "./open-directory.ts";
import { systemCodeOf, writing } from "./system-errors.ts";

/** Far fewer levels than files may be open, or paths may be long. */
const maxDepth = 32;

/** Removes a file, link or tree; links are removed, not followed; absent is fine. */
export async function removeTree(path: string): Promise<void> {
  await writing(path, async () => {
    try {
      await rm(path, { recursive: true, force: true });
    } catch (thrown) {
      // Agents leave directories that may not be written (module caches, for one), and trees deeper than paths are long.
      const code = systemCodeOf(thrown);
      if (code !== "EACCES" && code !== "EPERM" && code !== "ENAMETOOLONG") throw thrown;
      if ((await factsOf(path, path))?.kind === "directory") await emptyDirectory(path);
      await rm(path, { recursive: true, force: true });
    }
  });
}

async function emptyDirectory(path: string): Promise<void> {
  const parent = await OpenDirectory.open(await realpath(dirname(resolve(path))));
  await parent.unlockDirectory(basename(path)).finally(() => parent.close());
  const root = await OpenDirectory.open(path);
  try {
    // What lies too deep is moved to the top meanwhile.
    do await emptyInto(root, root, 0);
    while ((await root.names()).length > 0);
  } finally {
    await root.close();
  }
}

async function emptyInto(
  directory: OpenDirectory,
  root: OpenDirectory,
  depth: number,
): Promise<void> {
  for (const name of await directory.names()) {
    await unlessGone(async () => {
      const kind = (await directory.facts(name))?.kind;
      if (kind !== "directory") await directory.removeEntry(name, "file");
      else if (depth < maxDepth) await removeDirectory(directory, name, { root, depth });
      else await directory.moveEntry(name, root, `.deep-${newToken()}`);
    });
  }
}

/** A removal that failed may still be at work on the other branches of the tree. */
async function unlessGone(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const cause = AssayError.isInstance(thrown) ? thrown.cause : thrown;
    if (systemCodeOf(cause) !== "ENOENT") throw thrown;
  }
}

async function removeDirectory(
  parent: OpenDirectory,
  name: EntryName,
  { root, depth }: { readonly root: OpenDirectory; readonly depth: number },
): Promise<void> {
  await parent.unlockDirectory(name);
  const directory = await parent.openDirectory(name);
  try {
    await emptyInto(directory, root, depth + 1);
  } finally {
    await directory.close();
  }
  await parent.removeEntry(name, "directory");
}
