import { join, posix } from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";

/** Lays files over a copy. Whatever stands in the way of one is replaced, links above all: they may lead anywhere. */
export async function overlay(
  files: FileStore,
  root: string,
  overlayFiles: Readonly<Record<string, string | Uint8Array>>,
): Promise<void> {
  const targets = Object.entries(overlayFiles).map(([path, data]) => ({
    segments: segmentsOf(path),
    data,
  }));
  for (const { segments, data } of targets) {
    let parent = root;
    for (const segment of segments.slice(0, -1)) {
      parent = join(parent, segment);
      if ((await files.stat(parent))?.kind === "directory") continue;
      await files.remove(parent);
      await files.makeDirectory(parent);
    }
    const target = join(parent, segments.at(-1) ?? "");
    await files.remove(target);
    await files.writeNew(target, [typeof data === "string" ? Buffer.from(data) : data]);
  }
}

function segmentsOf(path: string): readonly string[] {
  const normal = posix.normalize(path);
  const isOutside = posix.isAbsolute(normal) || normal === ".." || normal.startsWith("../");
  if (isOutside || normal === "." || normal.endsWith("/") || path.includes("\0")) {
    throw new AssayError(
      "ASSAY_PATH_ESCAPES",
      `overlay file ${JSON.stringify(path)} is no file inside the copy`,
      {
        data: { path },
      },
    );
  }
  return normal.split("/");
}
