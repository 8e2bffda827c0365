import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";

/** True when an absolute path is `root` or lies below it, by name alone. */
function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/**
 * Where a path below `root` really leads, links followed; what is not there yet is taken by its name.
 * `root` is a real path. Throws `ASSAY_PATH_ESCAPES` when it leads out.
 */
export async function containedPath(files: FileStore, root: string, path: string): Promise<string> {
  const given = resolve(root, path);
  if (path.includes("\0") || (!isAbsolute(path) && !isInside(root, given)))
    throw escapes(root, path);
  let existing = given;
  const missing: string[] = [];
  while ((await files.stat(existing)) === null && dirname(existing) !== existing) {
    missing.unshift(basename(existing));
    existing = dirname(existing);
  }
  const real = join(await files.realPath(existing), ...missing);
  if (!isInside(root, real)) throw escapes(root, path);
  return real;
}

/** The same for paths that others may have spoilt: null when it leads out, in circles, or to what is gone. */
export async function pathInside(
  files: FileStore,
  root: string,
  path: string,
): Promise<string | null> {
  try {
    return await containedPath(files, root, path);
  } catch (thrown) {
    if (isNotThere(thrown) || isOutside(thrown)) return null;
    throw thrown;
  }
}

/** A link whose target is gone, or a path below something that is no directory. */
export function isNotThere(thrown: unknown): boolean {
  return (
    AssayError.isInstance(thrown) &&
    ["ENOENT", "ENOTDIR"].includes(String(thrown.data["systemCode"]))
  );
}

function isOutside(thrown: unknown): boolean {
  if (!AssayError.isInstance(thrown)) return false;
  return thrown.code === "ASSAY_PATH_ESCAPES" || thrown.data["systemCode"] === "ELOOP";
}

function escapes(root: string, path: string): AssayError {
  return new AssayError(
    "ASSAY_PATH_ESCAPES",
    `${JSON.stringify(path)} leads out of ${JSON.stringify(root)}`,
    {
      data: { path },
    },
  );
}
