import type { FileHandle } from "node:fs/promises";
import { basename, dirname } from "node:path";

import type { ReadChunksOptions, ReadLinesOptions } from "../../contracts/files.ts";
import { OpenDirectory } from "./open-directory.ts";
import { openRegular, requireRegular } from "./open-file.ts";
import { RefusedPath, readError, reading } from "./system-errors.ts";

export interface ReadOptions {
  /** A larger file is an error. Default 64 MiB. */
  readonly maxBytes?: number;
}

/** Nothing is read whole without a limit: a file that is longer than a string can be would end the process. */
const defaultMaxBytes = 64 * 1024 * 1024;

type Chunks = AsyncGenerator<Buffer, void>;

const chunkBytes = 128 * 1024;
/** Files of rows are long, and one buffer serves all their chunks: to wait for a chunk costs more than a larger one. */
const rowsChunkBytes = 512 * 1024;
/** The lines of one text are kept with it, and a longer text is out of reach of the quick rounds of the collector. */
const textBytes = 64 * 1024;
const newline = 0x0a;

/** The bytes of a regular file; `refuse` refuses a link at the path itself. */
export async function readWhole(
  path: string,
  links: "follow" | "refuse",
  { maxBytes = defaultMaxBytes }: ReadOptions = {},
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
  if (size > maxBytes) throw tooLarge(size, maxBytes);
  // One byte more than there should be tells the end from a file that has grown.
  let buffer = Buffer.allocUnsafeSlow(Math.max(size + 1, 1024));
  for (let length = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
    length += bytesRead;
    if (length > maxBytes) throw tooLarge(length, maxBytes);
    if (bytesRead === 0) return buffer.subarray(0, length);
    if (length === buffer.length) {
      const larger = Buffer.allocUnsafeSlow(length * 2);
      buffer.copy(larger);
      buffer = larger;
    }
  }
}

function tooLarge(bytes: number, maxBytes: number): RefusedPath {
  return new RefusedPath("EFBIG", `it has ${bytes} bytes, and may have ${maxBytes}`);
}

export async function* readChunks(
  path: string,
  { below, reuse = false }: ReadChunksOptions = {},
): Chunks {
  const handle =
    below === undefined ? await openRegular(path, "refuse") : await openBelow(below, path);
  yield* chunksOf(handle, path, reuse ? sameBuffer() : newBuffer);
}

/** No step from the directory `below` to the file follows a link. */
async function openBelow(below: string, path: string): Promise<FileHandle> {
  const directory = await OpenDirectory.below(below, dirname(path));
  try {
    return await directory.openFile(basename(path));
  } finally {
    await directory.close();
  }
}

const newBuffer = () => Buffer.allocUnsafeSlow(chunkBytes);

function sameBuffer(): () => Buffer {
  const buffer = newBuffer();
  return () => buffer;
}

/** Closes the file at the end. `path` is what errors name, `nextBuffer` gives the memory of each chunk. */
export async function* chunksOf(
  handle: FileHandle,
  path: string,
  nextBuffer: () => Buffer = newBuffer,
): Chunks {
  await reading(path, () => requireRegular(handle));
  try {
    for (;;) {
      const buffer = nextBuffer();
      const { bytesRead } = await reading(path, () => handle.read(buffer, 0, buffer.length, null));
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await handle.close();
  }
}

export async function* readLines(
  path: string,
  options: ReadLinesOptions = {},
): AsyncGenerator<string> {
  for await (const lines of readLineBatches(path, options)) yield* lines;
}

/** Lines are decoded many at a time: that costs half of what single lines would. */
export async function* readLineBatches(
  path: string,
  options: ReadLinesOptions = {},
): AsyncGenerator<readonly string[]> {
  for await (const lines of readLineBytes(path, options))
    for (const piece of piecesOf(lines)) yield linesOf(piece);
}

export async function* readLineBytes(
  path: string,
  { refuseLink = false, maxLineBytes = Number.POSITIVE_INFINITY, onChunk }: ReadLinesOptions = {},
): AsyncGenerator<Buffer> {
  let unfinished: Buffer[] = [];
  let unfinishedBytes = 0;
  const buffer = Buffer.allocUnsafeSlow(rowsChunkBytes);
  const handle = await openRegular(path, refuseLink ? "refuse" : "follow");
  for await (const chunk of chunksOf(handle, path, () => buffer)) {
    onChunk?.(chunk);
    const first = chunk.indexOf(newline);
    const last = first === -1 ? -1 : chunk.lastIndexOf(newline);
    if (first !== -1) {
      const begun = Buffer.concat([...unfinished, chunk.subarray(0, first)]);
      unfinished = [];
      unfinishedBytes = 0;
      yield begun;
      if (last !== first) yield chunk.subarray(first + 1, last);
    }
    const rest = chunk.subarray(last + 1);
    // A copy: every chunk has the same memory.
    if (rest.length > 0) unfinished.push(Buffer.from(rest));
    unfinishedBytes += rest.length;
    if (unfinishedBytes <= maxLineBytes) continue;
    const tooLong = new RefusedPath("EFBIG", `a line is longer than ${maxLineBytes} bytes`);
    throw readError(path, tooLong);
  }
  if (unfinishedBytes > 0) yield Buffer.concat(unfinished);
}

/** Whole lines, as many at a time as make a text of the usual length; a longer line is one by itself. */
function* piecesOf(lines: Buffer): Generator<Buffer> {
  let start = 0;
  while (start <= lines.length) {
    const end = pieceEnd(lines, start);
    yield lines.subarray(start, end);
    start = end + 1;
  }
}

function pieceEnd(lines: Buffer, start: number): number {
  if (lines.length - start <= textBytes) return lines.length;
  const before = lines.lastIndexOf(newline, start + textBytes);
  if (before >= start) return before;
  const after = lines.indexOf(newline, start + textBytes);
  return after === -1 ? lines.length : after;
}

function linesOf(bytes: Buffer): string[] {
  const text = bytes.toString("utf8");
  const lines = text.split("\n");
  return text.includes("\r") ? lines.map(withoutCarriageReturn) : lines;
}

function withoutCarriageReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
