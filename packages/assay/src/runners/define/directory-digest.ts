import type { FileStore } from "../../contracts/files.ts";
import { canonicalJson } from "../../support/canonical-json.ts";
import { sha256Hex, sha256HexOf } from "../../support/digest.ts";

/** Digest of the regular files below a directory by their paths. Links are not followed, and are no part of it. */
export async function directoryDigest(directory: string, files: FileStore): Promise<string> {
  const digests: (readonly [string, string, boolean])[] = [];
  for await (const entry of files.walk(directory)) {
    if (entry.kind !== "file") continue;
    const file = await entry.open();
    try {
      digests.push([entry.path, await sha256HexOf(file.readChunks()), entry.isExecutable]);
    } finally {
      await file.close();
    }
  }
  return `sha256:${sha256Hex(canonicalJson(digests))}`;
}
