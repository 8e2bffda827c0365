import { isUtf8 } from "node:buffer";
import path from "node:path";
import type { z } from "zod";

import type { FileStore } from "../contracts/files.ts";
import { AssayError, messageOf } from "../errors/assay-error.ts";
import { fromWire } from "../schema/codec.ts";
import { whyTwofold } from "../support/duplicate-keys.ts";
import { parseJson } from "../support/json.ts";
import { mayHoldBareNumbers, readBareNumbers } from "./older-formats.ts";

/** A longer row is no row: it would not fit into a text in memory. */
export const maxRowBytes = 256 * 1024 * 1024;
/** The same for a document that is read whole. */
export const maxDocumentBytes = 512 * 1024 * 1024 - 1024;

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
export function decodeText<T>(
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
