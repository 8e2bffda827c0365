import path from "node:path";

import type { FileStore, WalkEntry } from "../contracts/files.ts";
import { innerLink } from "../support/inner-link.ts";
import { bundleFiles } from "./layout.ts";

/**
 * Copies a bundle byte for byte and synced, its manifest last: half a copy is no bundle. Links that could lead out of it
 * are left out. Whatever is in the way of a file is an error.
 */
export async function copyBundle(from: string, to: string, files: FileStore): Promise<void> {
  await files.makeDirectory(to);
  for await (const entry of files.walk(from)) {
    if (entry.path !== bundleFiles.manifest)
      await copyEntry(entry, path.join(to, entry.path), files);
  }
  const manifest = await files.readRegular(path.join(from, bundleFiles.manifest));
  await files.writeAtomic(path.join(to, bundleFiles.manifest), manifest);
  await files.syncDirectory(path.dirname(to));
}

async function copyEntry(entry: WalkEntry, to: string, files: FileStore): Promise<void> {
  if (entry.kind === "directory") {
    await files.makeDirectory(to);
    await files.syncDirectory(path.dirname(to));
  } else if (entry.kind === "file") {
    const { isExecutable } = entry;
    const file = await entry.open();
    await files.writeNew(to, file.readChunks(), { isExecutable }).finally(() => file.close());
  } else if (entry.kind === "link") {
    const target = await entry.linkTarget();
    const depth = entry.path.split("/").length - 1;
    if (target !== null && innerLink(target, depth) !== null) await files.makeLink(to, target);
  }
}
