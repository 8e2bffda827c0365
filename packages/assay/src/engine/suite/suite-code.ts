import path from "node:path";

import { codeDigestOf } from "../../provenance/code-digest.ts";
import { sha256Hex } from "../../support/digest.ts";
import type { SuiteCode } from "./suite.ts";

/** The files that a suite is made of, as they were when they were loaded. */
export class CodeRecord {
  readonly #files = new Map<string, Uint8Array>();
  readonly #maps = new Map<string, string>();

  /** Records the bytes and gives their text. */
  add(file: string, bytes: Uint8Array): string {
    if (!this.#files.has(file)) this.#files.set(file, bytes);
    return Buffer.from(bytes).toString("utf8");
  }

  has(file: string): boolean {
    return this.#files.has(file);
  }

  /** Absolute paths, those that are added meanwhile too. */
  paths(): Iterable<string> {
    return this.#files.keys();
  }

  text(file: string): string | null {
    const bytes = this.#files.get(file);
    return bytes === undefined ? null : Buffer.from(bytes).toString("utf8");
  }

  /** The source map of a file's transformed code. */
  addMap(file: string, map: string): void {
    this.#maps.set(file, map);
  }

  map(file: string): string | null {
    return this.#maps.get(file) ?? null;
  }

  /** Paths relative to the suite's folder, with forward slashes, in code-unit order. */
  toSuiteCode(suitePath: string): SuiteCode {
    const files = [...this.#files].map(([file, bytes]) => ({
      path: relativePath(suitePath, file),
      bytes,
    }));
    return {
      digest: codeDigestOf(files),
      files: files
        .map(({ path: name, bytes }) => ({ path: name, sha256: sha256Hex(bytes) }))
        .sort((a, b) => (a.path < b.path ? -1 : 1)),
    };
  }
}

function relativePath(suitePath: string, file: string): string {
  return path.relative(path.dirname(suitePath), file).split(path.sep).join("/");
}
