import type { FileHandle } from "node:fs/promises";

import { LineSplitter } from "../line-splitter.ts";
import { openRegular } from "./open-file.ts";
import { RefusedPath, reading } from "./system-errors.ts";

export interface ReadOptions {
  /** A larger file is an error. */
  readonly maxBytes?: number;
}

const chunkBytes = 128 * 1024;

/** The bytes of a regular file; `refuse` refuses a link at the path itself. */
export async function readWhole(
  path: string,
  links: "follow" | "refuse",
  { maxBytes = Number.POSITIVE_INFINITY }: ReadOptions = {},
): Promise<Buffer> {
  const handle = await openRegular(path, links);
  try {
    return await reading(path, () => readBounded(handle, maxBytes));
  } finally {
    await handle.close();
  }
}

/** The file may grow while it is read, so its size alone proves nothing. */
async function readBounded(handle: FileHandle, maxBytes: number): Promise<Buffer> {
  const { size } = await handle.stat();
  const tooLarge = new RefusedPath("EFBIG", `it is larger than ${maxBytes} bytes`);
  if (size > maxBytes) throw tooLarge;
  const bytes = await handle.readFile();
  if (bytes.length > maxBytes) throw tooLarge;
  return bytes;
}

/** Chunks of a regular file, each of its own memory. */
export async function* readChunks(
  path: string,
  links: "follow" | "refuse",
): AsyncGenerator<Uint8Array> {
  const handle = await openRegular(path, links);
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafeSlow(chunkBytes);
      const { bytesRead } = await reading(path, () => handle.read(buffer, 0, chunkBytes, null));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

export async function* readLines(path: string): AsyncGenerator<string> {
  let lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for await (const chunk of readChunks(path, "follow")) {
    splitter.push(chunk);
    yield* lines;
    lines = [];
  }
  splitter.end();
  yield* lines;
}
