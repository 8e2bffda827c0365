import type { FileHandle } from "node:fs/promises";

import type { FollowLinesOptions } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { LineSplitter } from "../line-splitter.ts";
import { openRegular } from "./open-file.ts";
import { reading } from "./system-errors.ts";

const chunkBytes = 128 * 1024;

/** Lines as they appear. The file is read once, from where the last look ended. */
export async function* followLines(
  path: string,
  { pause, onTorn, maxLineBytes }: FollowLinesOptions,
): AsyncGenerator<readonly string[]> {
  let lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), maxLineBytes);
  const buffer = Buffer.allocUnsafeSlow(chunkBytes);
  let handle: FileHandle | null = null;
  try {
    for (let isComplete = false; ; isComplete = await pause()) {
      handle ??= await openIfThere(path);
      for (const open = handle; open !== null; ) {
        const { bytesRead } = await reading(path, () => open.read(buffer, 0, chunkBytes, null));
        if (bytesRead === 0) break;
        splitter.push(buffer.subarray(0, bytesRead));
        if (lines.length === 0) continue;
        yield lines;
        lines = [];
      }
      if (isComplete) break;
    }
  } finally {
    await handle?.close();
  }
  splitter.end();
  const [torn] = lines;
  if (torn !== undefined) onTorn?.(torn);
}

async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await openRegular(path, "refuse");
  } catch (thrown) {
    if (AssayError.isInstance(thrown) && thrown.data["systemCode"] === "ENOENT") return null;
    throw thrown;
  }
}
