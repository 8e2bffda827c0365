import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import path from "node:path";
import type { z } from "zod";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { quickDecode, unsure } from "../../schema/quick-decode.ts";
import { parseJson } from "../../support/json.ts";
import { decodeRecord, maxRowBytes } from "../decode-files.ts";

const newline = 0x0a;

/** One line of a journal file with its newline, and its place among the whole rows. */
export interface ScannedRow<T> {
  readonly row: T;
  /** Its JSON, before it was decoded. */
  readonly wire: unknown;
  readonly ordinal: number;
  readonly bytes: Buffer;
  /** From 1, lines that are no rows counted. */
  readonly line: number;
}

/** What a file of the journal holds: whole rows, and behind them what a kill, a full disk or a power cut left of one. */
export class RowScan {
  readonly hash = createHash("sha256");
  keptBytes = 0;
  rowCount = 0;
  tornLines = 0;
  tornBytes = 0;

  get isTorn(): boolean {
    return this.tornBytes > 0;
  }
}

/**
 * The whole rows of a file. What an end of the writer leaves at the end of a file is counted as torn: a line without its
 * newline, and lines with zeros in the place of blocks that never reached the disk. Any other line that is no row was
 * altered, and so was one with rows behind it: `ASSAY_BUNDLE_DAMAGED`.
 */
export async function* scanRows<T extends z.ZodType>(
  file: string,
  schema: T,
  files: FileStore,
  scan: RowScan,
): AsyncGenerator<ScannedRow<z.output<T>>> {
  if ((await files.stat(file)) === null) return;
  const name = path.basename(file);
  let problem: string | null = null;
  let line = 0;
  for await (const bytes of linesOf(file, files)) {
    line += 1;
    const row = parseLine(bytes, schema, `${name}:${line}`);
    if ("problem" in row) {
      if (!isTorn(bytes)) throw damagedLine(name, row.problem);
      problem ??= row.problem;
      scan.tornLines += 1;
      scan.tornBytes += bytes.length;
      continue;
    }
    if (problem !== null) throw damagedAmidst(name, problem);
    scan.hash.update(bytes);
    scan.keptBytes += bytes.length;
    yield { ...row, ordinal: scan.rowCount, bytes, line };
    scan.rowCount += 1;
  }
}

/** Lines with their newline; the last one may lack it. */
async function* linesOf(file: string, files: FileStore): AsyncGenerator<Buffer> {
  let pieces: Buffer[] = [];
  let pieceBytes = 0;
  for await (const chunk of files.readChunks(file)) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      pieces.push(bytes.subarray(start, end + 1));
      yield pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      pieces = [];
      start = end + 1;
    }
    if (start < bytes.length) pieces.push(bytes.subarray(start));
    pieceBytes = start === 0 ? pieceBytes + bytes.length : bytes.length - start;
    if (pieceBytes > maxRowBytes)
      throw damagedLine(path.basename(file), `it is longer than ${maxRowBytes} bytes`);
  }
  if (pieces.length > 0) yield Buffer.concat(pieces);
}

/** Rows hold no zero byte, and a row that is cut off holds no newline: it is appended from its start to its end. */
function isTorn(bytes: Buffer): boolean {
  return bytes.at(-1) !== newline || bytes.includes(0);
}

type Parsed<T> = Pick<ScannedRow<T>, "row" | "wire"> | { readonly problem: string };

function parseLine<T extends z.ZodType>(
  bytes: Buffer,
  schema: T,
  place: string,
): Parsed<z.output<T>> {
  if (bytes.at(-1) !== newline) return { problem: `${place}: it has no end` };
  if (!isUtf8(bytes)) return { problem: `${place}: it is no UTF-8` };
  try {
    const wire = parseJson(bytes.toString("utf8"), place);
    const row = quickDecode(schema, wire);
    return { wire, row: row === unsure ? decodeRecord(schema, wire, place) : (row as z.output<T>) };
  } catch (thrown) {
    return { problem: messageOf(thrown) };
  }
}

function damagedLine(name: string, problem: string): AssayError {
  return damaged(name, `${name} holds a whole line that is no row: ${problem}`);
}

function damagedAmidst(name: string, problem: string): AssayError {
  return damaged(name, `${name} holds a line that is no row, with rows behind it: ${problem}`);
}

function damaged(file: string, message: string): AssayError {
  return new AssayError("ASSAY_BUNDLE_DAMAGED", message, {
    data: { file },
    remedy:
      "It was altered, or the disk lost it: bring the file back as it was, then resume; nothing was changed.",
  });
}
