import { isUtf8 } from "node:buffer";

const newline = 0x0a;

/** Whether the lines of a file are UTF-8, whatever chunks it comes in. */
export class Utf8Lines {
  #isUtf8 = true;
  /** The beginning of a line whose end is in the next chunk. */
  #rest: Buffer[] = [];

  /** Of the lines that have ended so far. */
  get isUtf8(): boolean {
    return this.#isUtf8;
  }

  update(chunk: Uint8Array): void {
    const [start, end] = [chunk.indexOf(newline) + 1, chunk.lastIndexOf(newline) + 1];
    if (start > 0) {
      this.#check(Buffer.concat([...this.#rest, chunk.subarray(0, start)]));
      this.#check(chunk.subarray(start, end));
      this.#rest = [];
    }
    if (end < chunk.length) this.#rest.push(Buffer.from(chunk.subarray(end)));
  }

  /** After the last chunk. */
  end(): void {
    this.#check(Buffer.concat(this.#rest));
  }

  #check(bytes: Uint8Array): void {
    this.#isUtf8 &&= isUtf8(bytes);
  }
}
