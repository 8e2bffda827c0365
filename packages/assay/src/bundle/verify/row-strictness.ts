import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { holdsKeyTwice, whyTwofold } from "../../support/duplicate-keys.ts";
import { parseJson } from "../../support/json.ts";
import type { Inspection } from "../decode-rows.ts";
import { noUtf8 } from "./row-guard.ts";
import { Utf8Lines } from "./utf8-lines.ts";

/** Looks at rows while they are read for what readers pass over, but not all of them in one way. */
export class RowStrictness implements Inspection {
  readonly #utf8 = new Utf8Lines();
  #hasKeyTwice = false;

  readonly update = (chunk: Uint8Array): void => {
    this.#utf8.update(chunk);
  };

  readonly row = (bytes: Uint8Array, wire: unknown): void => {
    this.#hasKeyTwice ||= holdsKeyTwice(bytes, wire);
  };

  /** After the last row: whether all rows are read alike by everybody. */
  isStrict(): boolean {
    this.#utf8.end();
    return this.#utf8.isUtf8 && !this.#hasKeyTwice;
  }
}

/** What is wrong with the first row that is not strict. The file is read again, for this is seldom asked. */
export async function whyNotStrict(dir: string, name: string, files: FileStore): Promise<string> {
  let line = 0;
  try {
    for await (const text of files.readLines(path.join(dir, name), { refuseLink: true })) {
      line += 1;
      if (text.trim() === "") continue;
      if (text.includes("\uFFFD")) return noUtf8(line);
      const problem = whyTwofold(Buffer.from(text), parseJson(text, name));
      if (problem !== null) return `line ${line}: ${problem}`;
    }
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
  }
  return "some row of it is not strict JSON in UTF-8";
}
