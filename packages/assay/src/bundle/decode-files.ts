import { isUtf8 } from "node:buffer";
import path from "node:path";
import type { z } from "zod";

import type { FileStore } from "../contracts/files.ts";
import { AssayError, messageOf } from "../errors/assay-error.ts";
import { fromWire } from "../schema/codec.ts";
import { quickDecode, unsure } from "../schema/quick-decode.ts";
import { whyTwofold } from "../support/duplicate-keys.ts";
import { parseJson } from "../support/json.ts";
import { mayHoldBareNumbers, readBareNumbers } from "./older-formats.ts";

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

/** Throws for a document that is larger than any that is read: its size alone says so. */
export async function assertDocumentSize(file: string, files: FileStore): Promise<void> {
  const { kind, sizeBytes = 0 } = (await files.stat(file)) ?? {};
  if (kind !== "file" || sizeBytes <= maxDocumentBytes) return;
  const problem = `it has ${sizeBytes} bytes, and may have ${maxDocumentBytes}`;
  throw damaged(path.basename(file), problem);
}

/** How a document or a row is read. */
export interface Decoding<T> {
  /** Named in errors. */
  readonly source: string;
  decode(wire: unknown): T;
  /** Told that a bare NaN or infinity was read; null where there may be none. */
  readonly onBareNumbers: (() => void) | null;
}

/** The JSON document that bytes hold. What is wrong with it is `ASSAY_BUNDLE_DAMAGED`, named by file. */
export function documentOf(bytes: Uint8Array, name: string): unknown {
  return decodeDocument(bytes, { source: name, decode: (wire) => wire, onBareNumbers: null });
}

/** The same, decoded. */
export function decodeDocument<T>(bytes: Uint8Array, decoding: Decoding<T>): T {
  const { source } = decoding;
  if (!isUtf8(bytes)) throw damaged(source, "it is no UTF-8");
  // A byte order mark is left out by the decoder.
  const text = new TextDecoder().decode(bytes);
  return decodeText(text, decoding, (wire) => assertNoKeyTwice(bytes, wire, source));
}

/** Throws for JSON text that gives a key of an object twice; `value` is what was read of it. */
export function assertNoKeyTwice(bytes: Uint8Array, value: unknown, name: string): void {
  const why = whyTwofold(bytes, value);
  if (why === null) return;
  throw new AssayError("ASSAY_BUNDLE_DAMAGED", `${name}: ${why}`, { data: { file: name } });
}

/** `check` sees what is strict JSON before it is decoded. */
function decodeText<T>(
  text: string,
  decoding: Decoding<T>,
  check: (wire: unknown) => void = () => {},
): T {
  const { source, decode, onBareNumbers } = decoding;
  let wire: unknown;
  try {
    wire = parseJson(text, source);
  } catch (cause) {
    if (onBareNumbers === null || !mayHoldBareNumbers(text)) throw damaged(null, cause);
    return decodeBareNumbers(text, decoding);
  }
  check(wire);
  return decode(wire);
}

function decodeBareNumbers<T>(text: string, { source, decode, onBareNumbers }: Decoding<T>): T {
  try {
    const value = readBareNumbers(text, source, decode);
    onBareNumbers?.();
    return value;
  } catch (cause) {
    throw damaged(null, cause);
  }
}

/** Sees a file while its rows are read. */
export interface RowWatch {
  update(chunk: Uint8Array): void;
  /** The JSON of each row, before it is decoded. */
  row?(wire: unknown): void;
  /** After the last row; not when the reading is broken off. May throw. */
  end(): void;
}

export interface RowSource {
  readonly files: FileStore;
  /** Null: there is no such file, and that is well. */
  open(): Promise<RowWatch | null>;
  readonly onBareNumbers: Decoding<unknown>["onBareNumbers"];
}

/** A source of rows whose text may tell enough of most of them. */
export interface GlancedSource<G> extends RowSource {
  /** Null for a row that has to be decoded. */
  glance(row: string): G | null;
}

/**
 * The rows of a JSONL file of a bundle, many at a time; blank lines are passed over. What is wrong is named by file and
 * line, after the rows before it were given.
 */
export function rowBatchesIn<T extends z.ZodType>(
  file: string,
  schema: T,
  source: RowSource,
): AsyncGenerator<readonly z.output<T>[]> {
  return glancedBatchesIn<T, never>(file, schema, { ...source, glance: () => null });
}

/** The same, but what a glance tells of a row stands for it. */
export async function* glancedBatchesIn<T extends z.ZodType, G>(
  file: string,
  schema: T,
  { files, open, onBareNumbers, glance }: GlancedSource<G>,
): AsyncGenerator<readonly (z.output<T> | G)[]> {
  const watch = await open();
  if (watch === null) return;
  const options = { ...readOptions, onChunk: (chunk: Uint8Array) => watch.update(chunk) };
  const decoder = new RowDecoder<T, G>(path.basename(file), schema, {
    watch,
    onBareNumbers,
    glance,
  });
  try {
    for await (const lines of files.readLineBatches(file, options)) {
      const { rows, failure } = decoder.decode(lines);
      if (rows.length > 0) yield rows;
      if (failure !== null) throw failure.cause;
    }
    watch.end();
  } catch (cause) {
    if (!AssayError.isInstance(cause)) throw cause;
    const { name, line } = decoder;
    if (cause.code !== "ASSAY_FILE_UNREADABLE") throw damaged(null, cause);
    const isLine = cause.data["systemCode"] === "EFBIG";
    throw damaged(isLine ? `${name}:${line + 1}` : name, cause);
  }
}

interface Decoded<T> {
  readonly rows: readonly T[];
  /** What is wrong with the first line that is no row; the lines behind it were not looked at. */
  readonly failure: { readonly cause: unknown } | null;
}

interface RowReading<G> extends Pick<GlancedSource<G>, "onBareNumbers" | "glance"> {
  readonly watch: RowWatch;
}

class RowDecoder<T extends z.ZodType, G> {
  readonly name: string;
  /** Lines that were read. */
  line = 0;
  readonly #schema: T;
  readonly #reading: RowReading<G>;

  constructor(name: string, schema: T, reading: RowReading<G>) {
    this.name = name;
    this.#schema = schema;
    this.#reading = reading;
  }

  decode(lines: readonly string[]): Decoded<z.output<T> | G> {
    const rows: (z.output<T> | G)[] = [];
    try {
      for (const text of lines) {
        this.line += 1;
        const content = this.line === 1 ? withoutMark(text) : text;
        if (!isBlank(content)) rows.push(this.#reading.glance(content) ?? this.#row(content));
      }
      return { rows, failure: null };
    } catch (cause) {
      return { rows, failure: { cause } };
    }
  }

  #row(text: string): z.output<T> {
    const { watch, onBareNumbers } = this.#reading;
    const wire = parsedOrUnsure(text, this.name);
    if (wire !== unsure) watch.row?.(wire);
    const row = wire === unsure ? unsure : quickDecode(this.#schema, wire);
    if (row !== unsure) return row as z.output<T>;
    // With its place, which is not spelt for each of the many rows that need no second look.
    const source = `${this.name}:${this.line}`;
    const decode = (wire: unknown) => decodeRecord(this.#schema, wire, source);
    return decodeText(text, { source, decode, onBareNumbers });
  }
}

const readOptions = { refuseLink: true, maxLineBytes: maxRowBytes };

/** Rows begin with a brace: few need a closer look. */
function isBlank(text: string): boolean {
  return !text.startsWith("{") && text.trim() === "";
}

function parsedOrUnsure(text: string, name: string): unknown {
  try {
    return parseJson(text, name);
  } catch {
    return unsure;
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

/** What was met, as damage of a file; damage is told as it is. */
export function damaged(source: string | null, why: unknown): AssayError {
  if (AssayError.isInstance(why) && why.code === "ASSAY_BUNDLE_DAMAGED") return why;
  const problem = typeof why === "string" ? why : messageOf(why);
  const message = source === null ? problem : `${source}: ${problem}`;
  return new AssayError("ASSAY_BUNDLE_DAMAGED", message, { cause: why });
}
