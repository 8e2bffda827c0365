import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";

/** True when an absolute path is `root` or lies below it, by name alone. */
export function isInside(root: string, path: string): boolean {
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

function escapes(root: string, path: string): AssayError {
  return new AssayError(
    "ASSAY_PATH_ESCAPES",
    `${JSON.stringify(path)} leads out of ${JSON.stringify(root)}`,
    {
      data: { path },
    },
  );
}
