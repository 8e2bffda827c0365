import { mkdir } from "node:fs/promises";
import { basename, dirname, relative, sep } from "node:path";

import type { BelowOption } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { makeTree } from "./make-tree.ts";
import { OpenDirectory } from "./open-directory.ts";
import { RefusedPath, storeError, systemCodeOf, writing } from "./system-errors.ts";

const privateMode = 0o700;

/**
 * Does `work` at a path; with `below`, at the entry of a directory that is held open, so that no link on the way from
 * there leads the work elsewhere, whatever others do to the names meanwhile.
 */
export async function atPath<T>(
  path: string,
  { below }: BelowOption,
  work: (place: string) => Promise<T>,
): Promise<T> {
  if (below === undefined) return await work(path);
  const directory = await toWrite(path, () => OpenDirectory.below(below, dirname(path)));
  try {
    return await work(directory.placeOf(basename(path)));
  } finally {
    await directory.close();
  }
}

export async function makeDirectory(path: string, { below }: BelowOption = {}): Promise<void> {
  if (below === undefined) {
    await writing(path, () => makeTree(path));
    return;
  }
  let directory = await toWrite(below, () => OpenDirectory.open(below));
  try {
    for (const step of relative(below, path).split(sep)) {
      const inner = await toWrite(path, () => makeInner(directory, step));
      await directory.close();
      directory = inner;
    }
  } finally {
    await directory.close();
  }
}

async function makeInner(parent: OpenDirectory, name: string): Promise<OpenDirectory> {
  try {
    await mkdir(parent.placeOf(name), { mode: privateMode });
  } catch (thrown) {
    if (systemCodeOf(thrown) !== "EEXIST") throw thrown;
  }
  return await parent.openDirectory(name);
}

/** A directory that cannot be opened on the way to a write is a failure to write. */
async function toWrite<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw storeError(path, thrown);
    const code = thrown.data["systemCode"];
    if (typeof code !== "string") throw thrown;
    const where = String(thrown.data["path"] ?? path);
    throw storeError(
      where,
      code === "ELOOP" ? new RefusedPath(code, "it is a link") : thrown.cause,
    );
  }
}
