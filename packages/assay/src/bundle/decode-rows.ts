import path from "node:path";
import type { z } from "zod";

import type { FileStore } from "../contracts/files.ts";
import { AssayError } from "../errors/assay-error.ts";
import { quickDecode, unsure } from "../schema/quick-decode.ts";
import { parseJson } from "../support/json.ts";
import { type Decoding, damaged, decodeRecord, decodeText, maxRowBytes } from "./decode-files.ts";
import { KnownSkeletons } from "./known-skeletons.ts";

/** Sees a file while its rows are read. */
export interface RowWatch {
  update(chunk: Uint8Array): void;
  /** The lines of a batch before anything is made of them, and the number of the first. May throw. */
  lines?(lines: readonly string[], first: number): void;
  /** Each row of a batch; not those that a glance is enough for. May throw. */
  row?(read: ReadRow): void;
  /** After the last row; not when the reading is broken off. May throw. */
  end(): void;
}

/** A row and what it was made of. */
export interface ReadRow {
  readonly text: string;
  readonly wire: unknown;
  readonly row: unknown;
  readonly line: number;
}

export interface RowSource {
  readonly files: FileStore;
  /** Null: there is no such file, and that is well. */
  open(): Promise<RowWatch | null>;
  readonly onBareNumbers: Decoding<unknown>["onBareNumbers"];
}

/** Sees the bytes of a file and the rows that they hold. */
export interface Inspection {
  update(chunk: Uint8Array): void;
  /** The bytes of a row and its JSON, before it is decoded; not of one that differs from such a row in texts and numbers alone. */
  row(bytes: Uint8Array, wire: unknown): void;
}

/** A source whose rows somebody may inspect. */
export interface InspectedSource extends RowSource {
  readonly inspection?: Inspection | undefined;
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
  const decoder = new RowDecoder(path.basename(file), schema, onBareNumbers);
  try {
    for await (const lines of files.readLineBatches(file, optionsOf(watch))) {
      const { rows, failure } = decodeLines(lines, decoder, { watch, glance });
      if (rows.length > 0) yield rows;
      if (failure !== null) throw failure.cause;
    }
    watch.end();
  } catch (cause) {
    throw decoder.errorOf(cause);
  }
}

/**
 * The same rows, each given to `use` by itself. It is the same object again for rows that are alike: what is kept of it
 * has to be copied.
 */
export async function eachRowIn<T extends z.ZodType>(
  file: string,
  schema: T,
  { files, open, onBareNumbers, inspection = noInspection }: InspectedSource,
  use: (row: z.output<T>) => void,
): Promise<void> {
  const watch = await open();
  if (watch === null) return;
  const decoder = new RowDecoder(path.basename(file), schema, onBareNumbers);
  const known = new KnownSkeletons<z.output<T>>(schema);
  const decode = (line: Buffer) => {
    const decoded = decoder.decodeBytes(line, inspection);
    if (decoded === null) return;
    if (decoded.wire !== unsure) known.learn(decoded);
    use(decoded.row);
  };
  const useAll = (lines: Buffer) => {
    for (let start = 0; start <= lines.length; ) {
      decoder.line += 1;
      const skeleton = known.read(lines, start);
      const end = skeleton === null ? lineEnd(lines, start) : known.end;
      if (skeleton === null) decode(lines.subarray(start, end));
      else use(skeleton.row);
      start = end + 1;
    }
  };
  const options = optionsOf(watch, inspection);
  try {
    for await (const { buffer, byteOffset, length } of files.readLineBytes(file, options))
      useAll(Buffer.from(buffer, byteOffset, length));
    watch.end();
  } catch (cause) {
    throw decoder.errorOf(cause);
  }
}

const noInspection: Inspection = { update: () => {}, row: () => {} };

function optionsOf(...watches: readonly Pick<RowWatch, "update">[]) {
  const onChunk = (chunk: Uint8Array) => {
    for (const watch of watches) watch.update(chunk);
  };
  return { refuseLink: true, maxLineBytes: maxRowBytes, onChunk };
}

function lineEnd(bytes: Buffer, start: number): number {
  const end = bytes.indexOf("\n", start);
  return end === -1 ? bytes.length : end;
}

interface Decoded<T> {
  readonly rows: readonly T[];
  /** What is wrong with the first line that is no row; the lines behind it were not looked at. */
  readonly failure: { readonly cause: unknown } | null;
}

function decodeLines<T extends z.ZodType, G>(
  lines: readonly string[],
  decoder: RowDecoder<T>,
  { watch, glance }: Pick<GlancedSource<G>, "glance"> & { readonly watch: RowWatch },
): Decoded<z.output<T> | G> {
  const rows: (z.output<T> | G)[] = [];
  try {
    watch.lines?.(lines, decoder.line + 1);
    for (const line of lines) {
      decoder.line += 1;
      const text = decoder.contentOf(line);
      if (isBlank(text)) continue;
      rows.push(glance(text) ?? decoder.decode(text, watch));
    }
    return { rows, failure: null };
  } catch (cause) {
    return { rows, failure: { cause } };
  }
}

class RowDecoder<T extends z.ZodType> {
  /** Lines that were read, the one that is read now included. */
  line = 0;
  readonly #name: string;
  readonly #schema: T;
  readonly #onBareNumbers: RowSource["onBareNumbers"];

  constructor(name: string, schema: T, onBareNumbers: RowSource["onBareNumbers"]) {
    this.#name = name;
    this.#schema = schema;
    this.#onBareNumbers = onBareNumbers;
  }

  /** A byte order mark may stand before the first line. */
  contentOf(line: string): string {
    return this.line === 1 && line.startsWith(byteOrderMark) ? line.slice(1) : line;
  }

  decode(text: string, watch: RowWatch): z.output<T> {
    const wire = parsedOrUnsure(text, this.#name);
    const { row } = this.#decode(text, wire);
    if (wire !== unsure) watch.row?.({ text, wire, row, line: this.line });
    return row;
  }

  /** The same of a line with its carriage return; null when it is blank. */
  decodeBytes(bytes: Buffer, { row }: Inspection) {
    const line = bytes.toString("utf8");
    const text = this.contentOf(line.endsWith("\r") ? line.slice(0, -1) : line);
    if (isBlank(text)) return null;
    const wire = parsedOrUnsure(text, this.#name);
    if (wire !== unsure) row(bytes, wire);
    return this.#decode(text, wire);
  }

  /** What was met, as damage of the file. */
  errorOf(cause: unknown): unknown {
    if (!AssayError.isInstance(cause)) return cause;
    if (cause.code !== "ASSAY_FILE_UNREADABLE") return damaged(null, cause);
    const isLine = cause.data["systemCode"] === "EFBIG";
    return damaged(isLine ? `${this.#name}:${this.line + 1}` : this.#name, cause);
  }

  /** `wire` is what the row was made of, and `unsure` when that took the long way. */
  #decode(text: string, wire: unknown) {
    const row = wire === unsure ? unsure : quickDecode(this.#schema, wire);
    if (row !== unsure) return { text, wire, row: row as z.output<T> };
    // With its place, which is not spelt for each of the many rows that need no second look.
    const source = `${this.#name}:${this.line}`;
    const decode = (wire: unknown) => decodeRecord(this.#schema, wire, source);
    const onBareNumbers = this.#onBareNumbers;
    return { text, wire: unsure, row: decodeText(text, { source, decode, onBareNumbers }) };
  }
}

const byteOrderMark = "\uFEFF";

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
