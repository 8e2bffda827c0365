import { AssayError } from "../errors/assay-error.ts";
import { digestOf, sha256Hex } from "../support/digest.ts";

/** A file of code, by its path relative to the suite. */
export interface CodeFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

/** One digest of the code of a suite; the order of the files does not count. Throws `ASSAY_INVARIANT` when one path has two contents. */
export function codeDigestOf(files: readonly CodeFile[]): string {
  const byPath = new Map<string, string>();
  for (const { path, bytes } of files) {
    const name = path.replaceAll("\\", "/");
    const digest = sha256Hex(bytes);
    const known = byPath.get(name);
    if (known !== undefined && known !== digest) {
      throw new AssayError(
        "ASSAY_INVARIANT",
        `code file ${JSON.stringify(name)} was given with two contents`,
      );
    }
    byPath.set(name, digest);
  }
  return digestOf(
    "code",
    Object.fromEntries([...byPath].map(([path, sha256]) => [`file:${path}`, sha256])),
  );
}
