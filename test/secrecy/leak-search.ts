import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { gunzipSync } from "node:zlib";

import { base64Cores } from "../provenance/redaction/encodings.ts";

/** What must be found nowhere, and what to say when it is. */
export interface Planted {
  readonly way: string;
  readonly shape: string;
  /** The credential, or each of its lines. */
  readonly parts: readonly string[];
}

/** Bytes that somebody could read, by where they stand. */
export type Seen = ReadonlyMap<string, Buffer>;

const startLength = 10;
const gzip = 0x1f8b;

/** All that a run wrote below a folder: the bytes of each file, what is packed in them, and all names. */
export function filesBelow(folder: string): Map<string, Buffer> {
  const seen = new Map<string, Buffer>();
  const names: string[] = [];
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    names.push(relative(folder, path));
    if (!entry.isFile()) continue;
    const bytes = readFileSync(path);
    seen.set(relative(folder, path), bytes);
    if (bytes.length > 2 && bytes.readUInt16BE(0) === gzip)
      seen.set(`${relative(folder, path)}, unpacked`, gunzipSync(bytes));
  }
  return seen.set("the names of the files", Buffer.from(names.join("\n")));
}

export function hasFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Every place where a planted credential stands in one of its forms: `way / shape in place`. */
export function leaksIn(seen: Seen, planted: readonly Planted[]): string[] {
  const byStart = new Map<string, { readonly needle: string; readonly planted: Planted }[]>();
  for (const one of planted) {
    for (const needle of new Set(one.parts.flatMap(formsOf))) {
      const start = needle.slice(0, startLength);
      byStart.set(start, [...(byStart.get(start) ?? []), { needle, planted: one }]);
    }
  }
  const mayStart = new Uint8Array(1 << 20);
  for (const start of byStart.keys()) mayStart[keyAt(Buffer.from(start, "latin1"), 0)] = 1;
  const leaks = new Set<string>();
  for (const [place, bytes] of seen) {
    for (let at = 0; at + startLength <= bytes.length; at += 1) {
      if (mayStart[keyAt(bytes, at)] !== 1) continue;
      const start = bytes.toString("latin1", at, at + startLength);
      for (const { needle, planted } of byStart.get(start) ?? [])
        if (bytes.toString("latin1", at, at + needle.length) === needle)
          leaks.add(`${planted.way} / ${planted.shape} in ${place}`);
    }
  }
  return [...leaks].sort();
}

/** As it is, and decoded from what people write down instead. */
function formsOf(part: string): string[] {
  return [
    part,
    JSON.stringify(part).slice(1, -1),
    encodeURIComponent(part),
    Buffer.from(part).toString("hex"),
    ...base64Cores(part),
  ].filter((form) => form.length >= startLength);
}

/** Of four bytes: most places are told apart by it. */
function keyAt(bytes: Buffer, at: number): number {
  return Math.imul(bytes.readUInt32BE(at), 0x9e3779b1) >>> 12;
}
