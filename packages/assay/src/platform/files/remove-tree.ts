import { rm } from "node:fs/promises";

import { factsOf, OpenDirectory } from "./open-directory.ts";
import { systemCodeOf, writing } from "./system-errors.ts";

/** Removes a file, link or tree; links are removed, not followed; absent is fine. */
export async function removeTree(path: string): Promise<void> {
  await writing(path, async () => {
    try {
      await rm(path, { recursive: true, force: true });
    } catch (thrown) {
      const code = systemCodeOf(thrown);
      if (code !== "EACCES" && code !== "EPERM") throw thrown;
      // Entries of a directory that may not be written cannot be removed: agents leave such (module caches, for one).
      await makeWritable(path);
      await rm(path, { recursive: true, force: true });
    }
  });
}

async function makeWritable(path: string): Promise<void> {
  if ((await factsOf(path, path))?.kind !== "directory") return;
  await makeTreeWritable(await OpenDirectory.open(path));
}

async function makeTreeWritable(directory: OpenDirectory): Promise<void> {
  try {
    await directory.handle.chmod(0o700);
    for (const name of await directory.names()) {
      if ((await directory.facts(name))?.kind !== "directory") continue;
      await makeTreeWritable(await directory.openDirectory(name));
    }
  } finally {
    await directory.close();
  }
}
