import { dirname, join } from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { messageOf } from "../../errors/assay-error.ts";
import type { SourceRecord } from "../../schema/environment.ts";
import { sha256HexOf } from "../../support/digest.ts";

/** Of npm, pnpm, yarn and bun. */
const lockfiles = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
];

/** The nearest lockfile at or above a folder. */
export async function lockfileFact(
  baseDir: string,
  files: FileStore,
): Promise<SourceRecord["lockfile"]> {
  for (let folder = baseDir; ; folder = dirname(folder)) {
    for (const name of lockfiles) {
      const path = join(folder, name);
      if ((await files.stat(path))?.kind === "file") return await recordOf(name, path, files);
    }
    if (dirname(folder) === folder)
      return { unknown: "there is no lockfile at or above the suite" };
  }
}

async function recordOf(
  name: string,
  path: string,
  files: FileStore,
): Promise<SourceRecord["lockfile"]> {
  try {
    return { name, sha256: await sha256HexOf(files.readChunks(path)) };
  } catch (thrown) {
    return { unknown: messageOf(thrown) };
  }
}
