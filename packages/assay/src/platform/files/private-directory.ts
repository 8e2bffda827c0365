import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  type Stats,
} from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";

import { makeTreeSync } from "./make-tree.ts";
import { openDirectory } from "./open-directory.ts";
import { RefusedPath, storeError, systemCodeOf, writing } from "./system-errors.ts";

const privateMode = 0o700;

/** Creates the directory; one that exists must be a directory itself and ours, and gets the private mode. */
export async function makePrivateDirectory(path: string): Promise<void> {
  await writing(path, async () => {
    try {
      await mkdir(path, { mode: privateMode });
      return;
    } catch (thrown) {
      if (systemCodeOf(thrown) !== "EEXIST") throw thrown;
    }
    const handle = await openDirectory(path, path);
    try {
      if (needsRepair(await handle.stat())) await handle.chmod(privateMode);
    } finally {
      await handle.close();
    }
  });
}

/** The same, and parents that are absent are created. */
export function makePrivateDirectorySync(path: string): void {
  try {
    makeTreeSync(dirname(path));
    try {
      mkdirSync(path, { mode: privateMode });
      return;
    } catch (thrown) {
      if (systemCodeOf(thrown) !== "EEXIST") throw thrown;
    }
    repairSync(path);
  } catch (thrown) {
    throw storeError(path, thrown);
  }
}

function repairSync(path: string): void {
  if (lstatSync(path).isSymbolicLink()) throw new RefusedPath("ELOOP", "it is a link");
  const file = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    if (needsRepair(fstatSync(file))) fchmodSync(file, privateMode);
  } finally {
    closeSync(file);
  }
}

function needsRepair({ uid, mode }: Stats): boolean {
  if (uid !== process.geteuid?.()) throw new RefusedPath("EPERM", "it belongs to another user");
  return (mode & 0o7777) !== privateMode;
}
