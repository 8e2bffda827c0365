import { cutMark } from "../support/cut-text.ts";
import { wholeCharactersEnd } from "./whole-characters.ts";

const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * Parts bytes into lines, whatever chunks they come in. A line keeps neither its newline nor a carriage return before it;
 * what follows the last newline is the last line. Bytes are joined once per line, so a long line costs its length.
 */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #pieceBytes = 0;
  #isCut = false;

  /** A line over `maxBytes` is cut at a whole character, and ends with the mark of cut texts. */
  constructor(onLine: (line: string) => void, maxBytes = Number.POSITIVE_INFINITY) {
    this.#onLine = onLine;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#finishLine(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
  }

  /** Gives the last line when it had no newline. */
  end(): void {
    if (this.#pieces.length > 0) this.#finishLine(new Uint8Array(0));
  }

  #keep(piece: Uint8Array): void {
    const room = this.#maxBytes - this.#pieceBytes;
    if (piece.length > room) this.#isCut = true;
    const kept = piece.length > room ? piece.subarray(0, room) : piece;
    if (kept.length === 0) return;
    // A copy: whoever reads may use the chunk's memory again.
    this.#pieces.push(Buffer.from(kept));
    this.#pieceBytes += kept.length;
  }

  #finishLine(last: Uint8Array): void {
    let bytes = last;
    if (this.#pieces.length > 0 || last.length > this.#maxBytes) {
      this.#keep(last);
      bytes =
        this.#pieces.length === 1 ? (this.#pieces[0] as Uint8Array) : Buffer.concat(this.#pieces);
    }
    const mark = this.#isCut ? cutMark : "";
    const end = this.#isCut ? wholeCharactersEnd(bytes) : withoutCarriageReturn(bytes);
    this.#pieces = [];
    this.#pieceBytes = 0;
    this.#isCut = false;
    this.#onLine(Buffer.from(bytes.buffer, bytes.byteOffset, end).toString("utf8") + mark);
  }
}

function withoutCarriageReturn(bytes: Uint8Array): number {
  return bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
}
