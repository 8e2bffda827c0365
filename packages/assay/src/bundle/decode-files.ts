import path from "node:path";
import type { z } from "zod";

import type { FileStore } from "../contracts/files.ts";
import { AssayError, messageOf } from "../errors/assay-error.ts";
import { fromWire } from "../schema/codec.ts";
import { quickDecode, unsure } from "../schema/quick-decode.ts";
import { parseJson } from "../support/json.ts";

/** A longer row is no row: it would not fit into a text in memory. */
export const maxRowBytes = 256 * 1024 * 1024;
/** The same for a document that is read whole. */
export const maxDocumentBytes = 512 * 1024 * 1024 - 1024;
const byteOrderMark = "\uFEFF";

/** What cannot be read of a bundle is `ASSAY_BUNDLE_DAMAGED`, named by file. */
export async function bytesOf(file: string, files: FileStore): Promise<Uint8Array> {
  try {
    return await files.readRegular(file, { maxBytes: maxDocumentBytes });
  } catch (cause) {
    throw damaged(path.basename(file), cause);
  }
}

/** The JSON document that bytes hold. What is wrong with it is `ASSAY_BUNDLE_DAMAGED`, named by file. */
export function documentOf(bytes: Uint8Array, name: string): unknown {
  try {
    // A byte order mark is left out by the decoder.
    return parseJson(new TextDecoder().decode(bytes), name);
  } catch (cause) {
    throw damaged(null, cause);
  }
}

/** Sees the bytes of a file while its rows are read. */
export interface ByteWatch {
  update(chunk: Uint8Array): void;
  /** After the last row; not when the reading is broken off. May throw. */
  end(): void;
}

export interface RowSource {
  readonly files: FileStore;
  /** Null: there is no such file, and that is well. */
  open(): Promise<ByteWatch | null>;
}

/** The rows of a JSONL file of a bundle; blank lines are passed over. What is wrong is named by file and line. */
export async function* rowsIn<T extends z.ZodType>(
  file: string,
  schema: T,
  { files, open }: RowSource,
): AsyncGenerator<z.output<T>> {
  const watch = await open();
  if (watch === null) return;
  const options = { ...readOptions, onChunk: (chunk: Uint8Array) => watch.update(chunk) };
  const name = path.basename(file);
  let line = 0;
  try {
    for await (const text of files.readLines(file, options)) {
      line += 1;
      const content = line === 1 ? withoutMark(text) : text;
      if (isBlank(content)) continue;
      const wire = parseRow(content, name, line);
      const row = quickDecode(schema, wire);
      yield row === unsure ? decodeRecord(schema, wire, `${name}:${line}`) : (row as z.output<T>);
    }
    watch.end();
  } catch (cause) {
    if (!AssayError.isInstance(cause)) throw cause;
    if (cause.code !== "ASSAY_FILE_UNREADABLE") throw damaged(null, cause);
    const isLine = cause.data["systemCode"] === "EFBIG";
    throw damaged(isLine ? `${name}:${line + 1}` : name, cause);
  }
}

const readOptions = { refuseLink: true, maxLineBytes: maxRowBytes };

/** Rows begin with a brace: few need a closer look. */
function isBlank(text: string): boolean {
  return !text.startsWith("{") && text.trim() === "";
}

function parseRow(text: string, name: string, line: number): unknown {
  try {
    return parseJson(text, name);
  } catch {
    // Once more, with its place: there are too many rows to spell it for each.
    return parseJson(text, `${name}:${line}`);
  }
}

function withoutMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text;
}

export function decodeRecord<T extends z.ZodType>(
  schema: T,
  wire: unknown,
  source: string,
): z.output<T> {
  try {
    return fromWire(schema, wire, { source, code: "ASSAY_BUNDLE_DAMAGED" });
  } catch (cause) {
    throw damaged(null, cause);
  }
}

function damaged(source: string | null, cause: unknown): AssayError {
  if (AssayError.isInstance(cause) && cause.code === "ASSAY_BUNDLE_DAMAGED") return cause;
  const message = source === null ? messageOf(cause) : `${source}: ${messageOf(cause)}`;
  return new AssayError("ASSAY_BUNDLE_DAMAGED", message, { cause });
}
