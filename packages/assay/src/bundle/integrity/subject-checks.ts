import { createHash } from "node:crypto";
import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { maxDocumentBytes } from "../decode-files.ts";
import type { RowWatch } from "../decode-rows.ts";
import { damageError, type FileDamage, sha256Text } from "./file-damage.ts";
import type { Seal } from "./seal.ts";

/** Compares the data files of a bundle with its seal: most of them while they are read, the others on their own. */
export class SubjectChecks {
  readonly #dir: string;
  readonly #seal: Seal;
  readonly #files: FileStore;
  /** Files that were read to their end, and what is wrong with them. */
  readonly #checked = new Map<string, FileDamage | null>();

  constructor(dir: string, seal: Seal, files: FileStore) {
    this.#dir = dir;
    this.#seal = seal;
    this.#files = files;
  }

  /** Throws `ASSAY_BUNDLE_DAMAGED` when the whole content of a file is not what was sealed. */
  check(name: string, bytes: Uint8Array): void {
    const watch = this.watch(name);
    watch.update(bytes);
    watch.end();
  }

  /** The same for a file that is read piece by piece; it is checked at its end. */
  watch(name: string): RowWatch {
    const hash = createHash("sha256");
    return {
      update: (chunk) => void hash.update(chunk),
      end: () => {
        const damage = this.#compare(name, hash.digest("hex"));
        if (damage !== null) throw damageError(this.#dir, [damage]);
      },
    };
  }

  /** Everything that is wrong with the data files. Those that were read to their end are not read again. */
  async damages(): Promise<readonly FileDamage[]> {
    for (const name of this.#seal.subjects.keys()) {
      if (!this.#checked.has(name)) await this.#checkAlone(name);
    }
    return [...this.#checked.values()].filter((damage) => damage !== null);
  }

  async #checkAlone(name: string): Promise<void> {
    if (await this.#isOversized(name)) {
      const found = `more than ${maxDocumentBytes} bytes, the most that a document may take`;
      this.#checked.set(name, { path: name, expected: this.#expected(name), found });
      return;
    }
    const hash = createHash("sha256");
    try {
      const file = path.join(this.#dir, name);
      for await (const chunk of this.#files.readChunks(file, { reuse: true })) hash.update(chunk);
      this.#compare(name, hash.digest("hex"));
    } catch (thrown) {
      if (!AssayError.isInstance(thrown) || thrown.code !== "ASSAY_FILE_UNREADABLE") throw thrown;
      const isMissing = thrown.data["systemCode"] === "ENOENT";
      const found = isMissing ? null : `nothing that can be read: ${messageOf(thrown)}`;
      this.#checked.set(name, { path: name, expected: this.#expected(name), found });
    }
  }

  /** A document that no reader takes: its size alone refutes it, and to digest it may take a minute. */
  async #isOversized(name: string): Promise<boolean> {
    if (name.endsWith(".jsonl")) return false;
    const facts = await this.#files.stat(path.join(this.#dir, name));
    return facts?.kind === "file" && facts.sizeBytes > maxDocumentBytes;
  }

  #compare(name: string, sha256: string): FileDamage | null {
    const isWhole = this.#seal.subjects.get(name) === sha256;
    const damage = { path: name, expected: this.#expected(name), found: sha256Text(sha256) };
    this.#checked.set(name, isWhole ? null : damage);
    return isWhole ? null : damage;
  }

  #expected(name: string): string {
    const sha256 = this.#seal.subjects.get(name);
    return sha256 === undefined ? "a digest of it in provenance.json" : sha256Text(sha256);
  }
}
