import { isUtf8 } from "node:buffer";

import { tellingBytes } from "./archive-kind.ts";

/** Compressed bytes that no first bytes of a file tell. */
export interface HiddenStream {
  /** Where its compressed bytes begin. */
  readonly at: number;
  readonly method: "deflate" | "brotli";
}

const gzipSign = Buffer.from("1f8b08", "hex");
const zipSign = Buffer.from("504b0304", "hex");
const gzipHeader = 10;
const zipHeader = 30;
const maxCharacter = 4;

/**
 * Where a file may hold compressed bytes though it begins as no archive: as a whole, which nothing tells but that it is no
 * text; and behind the beginnings of members of gzip and ZIP.
 */
export function* hiddenStreams(file: Buffer): Generator<HiddenStream> {
  if (!looksLikeText(file.subarray(0, tellingBytes))) {
    yield { at: 0, method: "deflate" };
    yield { at: 0, method: "brotli" };
  }
  for (const sign of [gzipSign, zipSign])
    for (let at = file.indexOf(sign); at !== -1; at = file.indexOf(sign, at + 1)) {
      const body = sign === gzipSign ? behindGzipHeader(file, at) : behindZipHeader(file, at);
      if (body !== -1) yield { at: body, method: "deflate" };
    }
}

/** Whether such a member begins in some bytes. */
export function holdsMember(bytes: Buffer): boolean {
  return bytes.includes(gzipSign) || bytes.includes(zipSign);
}

/** Nothing but characters, and of the controls those that texts and terminals have. */
export function looksLikeText(start: Buffer): boolean {
  if (start.some((byte) => byte < 0x20 && !textControls.has(byte))) return false;
  for (let cut = 0; cut < maxCharacter && cut <= start.length; cut += 1)
    if (isUtf8(start.subarray(0, start.length - cut))) return true;
  return false;
}

const textControls = new Set([..."\b\t\n\v\f\r\u001b"].map((control) => control.charCodeAt(0)));

/** Behind the header of a member of gzip, with the fields that its flags tell of; -1 when it has none. */
function behindGzipHeader(file: Buffer, at: number): number {
  const flags = file[at + 3] ?? 0xff;
  if (flags > 0x1f) return -1;
  let end = at + gzipHeader;
  if ((flags & 4) !== 0) end += 2 + (file[end] ?? 0) + 256 * (file[end + 1] ?? 0);
  for (const flag of [8, 16]) {
    if ((flags & flag) === 0) continue;
    const nul = file.indexOf(0, end);
    if (nul === -1) return -1;
    end = nul + 1;
  }
  return (flags & 2) === 0 ? end : end + 2;
}

/** Behind the header of an entry of ZIP that is compressed; -1 for others: they show what they hold. */
function behindZipHeader(file: Buffer, at: number): number {
  if (at + zipHeader > file.length || file.readUInt16LE(at + 8) !== 8) return -1;
  return at + zipHeader + file.readUInt16LE(at + 26) + file.readUInt16LE(at + 28);
}
