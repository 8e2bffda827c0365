import { isUtf8 } from "node:buffer";

import { AssayError } from "../errors/assay-error.ts";
import { isPlainObject, parseJson } from "../support/json.ts";
import { assertNoKeyTwice, maxRowBytes } from "./decode-files.ts";

const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [comma, quotationMark, backslash] = [0x2c, 0x22, 0x5c];
/** All other bytes outside of texts are passed over by one look each. */
const isMark = new Uint8Array(256);
for (const byte of [openBrace, closeBrace, openBracket, closeBracket, comma, quotationMark])
  isMark[byte as number] = 1;
/** A longer name is none of those that are taken apart. */
const maxNameBytes = 1024;

/** `outer` is the name of the member that is taken apart; null for a member of the document itself. */
export type OnMember = (outer: string | null, key: string, value: unknown) => void;

/**
 * Reads a JSON document that is an object, member by member, and those that have one of the names `apart` member by
 * member in their turn: of the summary of a million trials one task is in memory at a time. What is no strict JSON, or
 * has a key twice, is `ASSAY_BUNDLE_DAMAGED`.
 */
export class JsonMembers {
  readonly #name: string;
  readonly #apart: ReadonlySet<string>;
  readonly #onMember: OnMember;
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** The member that is taken apart now. */
  #outer: string | null = null;
  #state: "before" | "within" | "behind" = "before";
  /** What has come of the member that is read. */
  readonly #piece = new Piece();
  /** Names of the document's members, and of those of `#outer`. */
  readonly #names: [Set<string>, Set<string>] = [new Set(), new Set()];
  /** What was read last: a comma needs a member before it and one behind. */
  #last: "nothing" | "member" | "comma" = "nothing";

  constructor(name: string, apart: readonly string[], onMember: OnMember) {
    this.#name = name;
    this.#apart = new Set(apart);
    this.#onMember = onMember;
  }

  /** The memory of a chunk may be used again. */
  add(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    const from = this.#isInText ? this.#textEnd(bytes, 0) + 1 : 0;
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (isMark[byte] === 0) continue;
      if (byte === quotationMark) at = this.#textEnd(bytes, at + 1);
      else if (this.#mark(byte, bytes, start, at)) start = at + 1;
    }
    this.#keep(bytes.subarray(start));
  }

  /** Where the text ends that goes on at a place: at its quotation mark, or behind the chunk. */
  #textEnd(bytes: Buffer, from: number): number {
    this.#isInText = true;
    let at = this.#isEscaped ? from + 1 : from;
    this.#isEscaped = false;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (byte === backslash) at += 1;
      else if (byte === quotationMark) {
        this.#isInText = false;
        return at;
      }
    }
    this.#isEscaped = at > bytes.length;
    return bytes.length;
  }

  end(): void {
    if (this.#state !== "behind" || !isBlank(this.#piece.take())) throw this.#damaged("it is torn");
  }

  /** True when what came before the mark is done with. */
  #mark(byte: number, bytes: Buffer, start: number, at: number): boolean {
    const level = this.#outer === null ? 1 : 2;
    if (byte === comma) {
      if (this.#depth !== level) return false;
      this.#keep(bytes.subarray(start, at));
      this.#take("comma");
      return true;
    }
    if (byte === openBrace || byte === openBracket) {
      this.#depth += 1;
      if (this.#depth === 1) return this.#begin(byte, bytes.subarray(start, at));
      const mayBeApart = this.#depth === 2 && level === 1 && byte === openBrace;
      return mayBeApart && this.#goInto(bytes.subarray(start, at));
    }
    if (byte !== closeBrace && byte !== closeBracket) return false;
    this.#depth -= 1;
    if (this.#depth !== level - 1) return false;
    if (byte !== closeBrace || this.#state !== "within") throw this.#damaged("a brace is missing");
    this.#keep(bytes.subarray(start, at));
    this.#take("brace");
    return true;
  }

  #begin(byte: number, before: Buffer): boolean {
    this.#keep(before);
    const isFirst = isBlank(withoutMark(this.#piece.take()));
    if (this.#state !== "before" || !isFirst || byte !== openBrace)
      throw this.#damaged("it is no object");
    this.#state = "within";
    return true;
  }

  #goInto(before: Buffer): boolean {
    if (this.#piece.sizeBytes + before.length > maxNameBytes) return false;
    const text = Buffer.concat([this.#piece.bytes(), before]).toString("utf8");
    const name = /^\s*"([^"\\]*)"\s*:\s*$/.exec(text)?.[1];
    if (name === undefined || !this.#apart.has(name)) return false;
    this.#piece.take();
    this.#addName(0, name);
    this.#names[1].clear();
    this.#outer = name;
    this.#last = "nothing";
    return true;
  }

  /** Ends a member, at a comma behind it or at the brace that closes its object. */
  #take(ending: "comma" | "brace"): void {
    const bytes = this.#piece.take();
    if (!isBlank(bytes)) this.#member(bytes);
    else if (this.#last === "comma" || (this.#last === "nothing" && ending === "comma"))
      throw this.#damaged("a member is missing");
    if (ending === "comma") this.#last = "comma";
    else if (this.#outer === null) this.#state = "behind";
    else {
      this.#outer = null;
      this.#last = "member";
    }
  }

  #member(bytes: Buffer): void {
    if (this.#last === "member") throw this.#damaged("a comma is missing");
    if (!isUtf8(bytes)) throw this.#damaged("it is no UTF-8");
    const object = parseJson(`{${bytes.toString("utf8")}}`, this.#name);
    const [key, ...others] = isPlainObject(object) ? Object.keys(object) : [];
    if (key === undefined || others.length > 0 || !isPlainObject(object))
      throw this.#damaged("a member cannot be read");
    assertNoKeyTwice(bytes, object, this.#name);
    this.#addName(this.#outer === null ? 0 : 1, key);
    this.#last = "member";
    this.#onMember(this.#outer, key, object[key]);
  }

  #addName(level: 0 | 1, name: string): void {
    const names = this.#names[level];
    if (names.has(name)) throw this.#damaged(`the key ${JSON.stringify(name)} stands in it twice`);
    names.add(name);
  }

  #keep(bytes: Buffer): void {
    this.#piece.add(bytes);
    if (this.#piece.sizeBytes > maxRowBytes)
      throw this.#damaged(`a member is longer than ${maxRowBytes} bytes`);
  }

  #damaged(problem: string): AssayError {
    const message = `${this.#name} is not JSON: ${problem}`;
    return new AssayError("ASSAY_BUNDLE_DAMAGED", message, { data: { file: this.#name } });
  }
}

class Piece {
  sizeBytes = 0;
  #parts: Buffer[] = [];

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#parts.push(Buffer.from(bytes));
    this.sizeBytes += bytes.length;
  }

  bytes(): Buffer {
    return this.#parts.length === 1 ? (this.#parts[0] as Buffer) : Buffer.concat(this.#parts);
  }

  take(): Buffer {
    const bytes = this.bytes();
    this.#parts = [];
    this.sizeBytes = 0;
    return bytes;
  }
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes;
}

const byteOrderMark = Buffer.from("\uFEFF");
