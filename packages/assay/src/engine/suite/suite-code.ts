import path from "node:path";

import { digestOf, sha256Hex } from "../../support/digest.ts";
import type { SuiteCode } from "./suite.ts";

/** The files that a suite is made of, as they were when they were loaded. */
export class CodeRecord {
  readonly #files = new Map<string, { readonly text: string; readonly sha256: string }>();
  readonly #maps = new Map<string, string>();

  /** Records the bytes and gives their text. */
  add(file: string, bytes: Uint8Array): string {
    const text = Buffer.from(bytes).toString("utf8");
    if (!this.#files.has(file)) this.#files.set(file, { text, sha256: sha256Hex(bytes) });
    return text;
  }

  has(file: string): boolean {
    return this.#files.has(file);
  }

  text(file: string): string | null {
    return this.#files.get(file)?.text ?? null;
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
    const files = [...this.#files]
      .map(([file, { sha256 }]) => ({ path: relativePath(suitePath, file), sha256 }))
      .sort((a, b) => (a.path < b.path ? -1 : 1));
    return { digest: digestOf("code", files), files };
  }
}

function relativePath(suitePath: string, file: string): string {
  return path.relative(path.dirname(suitePath), file).split(path.sep).join("/");
}
