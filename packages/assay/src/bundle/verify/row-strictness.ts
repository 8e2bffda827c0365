import { isUtf8 } from "node:buffer";
import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { holdsKeyTwice, whyTwofold } from "../../support/duplicate-keys.ts";
import { parseJson } from "../../support/json.ts";
import type { Inspection } from "../decode-rows.ts";

const newline = 0x0a;

/** Looks at rows while they are read for what readers pass over, but not all of them in one way. */
export class RowStrictness implements Inspection {
  #isUtf8 = true;
  #hasKeyTwice = false;
  /** The beginning of a line whose end is in the next chunk. */
  #rest: Buffer[] = [];

  readonly update = (chunk: Uint8Array): void => {
    const [start, end] = [chunk.indexOf(newline) + 1, chunk.lastIndexOf(newline) + 1];
    if (start > 0) {
      this.#check(Buffer.concat([...this.#rest, chunk.subarray(0, start)]));
      this.#check(chunk.subarray(start, end));
      this.#rest = [];
    }
    if (end < chunk.length) this.#rest.push(Buffer.from(chunk.subarray(end)));
  };

  readonly row = (bytes: Uint8Array, wire: unknown): void => {
    this.#hasKeyTwice ||= holdsKeyTwice(bytes, wire);
  };

  /** After the last row: whether all rows are read alike by everybody. */
  isStrict(): boolean {
    this.#check(Buffer.concat(this.#rest));
    return this.#isUtf8 && !this.#hasKeyTwice;
  }

  #check(bytes: Uint8Array): void {
    this.#isUtf8 &&= isUtf8(bytes);
  }
}

/** What is wrong with the first row that is not strict. The file is read again, for this is seldom asked. */
export async function whyNotStrict(dir: string, name: string, files: FileStore): Promise<string> {
  let line = 0;
  try {
    for await (const text of files.readLines(path.join(dir, name), { refuseLink: true })) {
      line += 1;
      if (text.trim() === "") continue;
      if (text.includes("\uFFFD")) return `line ${line} is no UTF-8, or holds U+FFFD`;
      const problem = whyTwofold(Buffer.from(text), parseJson(text, name));
      if (problem !== null) return `line ${line}: ${problem}`;
    }
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
  }
  return "some row of it is not strict JSON in UTF-8";
}
