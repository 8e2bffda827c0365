import { createHash } from "node:crypto";

import type { FileStore } from "../../contracts/files.ts";

/** What tools leave in folders of code, and what changes nothing. */
const passedOver = new Set([".git", "__pycache__", ".venv", ".uv", ".mypy_cache", ".pytest_cache"]);

/**
 * Hex SHA-256 over what lies in a directory: of each entry its path, kind, executable bit and content, framed by their
 * lengths. A link counts by its text. Times never count.
 */
export async function directoryDigest(
  directory: string,
  files: Pick<FileStore, "walk">,
  isPassedOver: (relative: string) => boolean = () => false,
): Promise<string> {
  const hash = createHash("sha256");
  const frame = (part: string) => hash.update(`${Buffer.byteLength(part)}:${part};`);
  for await (const entry of files.walk(directory)) {
    if (entry.path.split("/").some((name) => passedOver.has(name)) || isPassedOver(entry.path))
      continue;
    frame(entry.path);
    frame(entry.kind);
    if (entry.kind === "link") frame((await entry.linkTarget()) ?? "");
    if (entry.kind !== "file") continue;
    frame(entry.isExecutable ? "x" : "");
    const content = createHash("sha256");
    const file = await entry.open();
    try {
      for await (const chunk of file.readChunks()) content.update(chunk);
    } finally {
      await file.close();
    }
    frame(content.digest("hex"));
  }
  return hash.digest("hex");
}
