import path from "node:path";

import type { ModuleObserver, ModuleSite, ModuleWatch } from "../../contracts/modules.ts";
import { codeDigestOf } from "../../provenance/code-digest.ts";
import { sha256Hex } from "../../support/digest.ts";
import { isLocalFile } from "../../support/local-file.ts";
import { frameOf } from "./stack-frame.ts";
import type { LaterCode, SuiteCode } from "./suite.ts";

/**
 * The files that a suite is made of, as they were when they were loaded. One that is recorded is never read again: what
 * runs is what is recorded.
 */
export class CodeRecord implements ModuleObserver {
  readonly #suite: string;
  readonly #seesImports: boolean;
  readonly #files = new Map<string, Uint8Array>();
  readonly #maps = new Map<string, string>();
  readonly #later: LaterFile[] = [];
  readonly #blind = new Set<string>();
  #onLater: (code: LaterCode) => void = ignore;
  #isClosed = false;

  /** `suite` is the path of the suite's file. */
  constructor(suite: string, { seesImports }: Pick<ModuleWatch, "seesImports">) {
    this.#suite = suite;
    this.#seesImports = seesImports;
  }

  /** Records the bytes unless the file is recorded already; gives the text that is recorded. */
  add(file: string, bytes: Uint8Array): string {
    const known = this.#files.get(file);
    if (known !== undefined) return textOf(known);
    this.#files.set(file, bytes);
    if (this.#isClosed) this.#addLater(file, bytes);
    return textOf(bytes);
  }

  has(file: string): boolean {
    return this.#files.has(file);
  }

  bytes(file: string): Uint8Array | null {
    return this.#files.get(file) ?? null;
  }

  text(file: string): string | null {
    const bytes = this.#files.get(file);
    return bytes === undefined ? null : textOf(bytes);
  }

  /** Absolute paths, those that are added meanwhile too. */
  paths(): Iterable<string> {
    return this.#files.keys();
  }

  recorded(site: ModuleSite): Uint8Array | null {
    return this.#isOurs(site) ? this.bytes(site.file) : null;
  }

  served(site: ModuleSite, bytes: Uint8Array): void {
    const { file } = site;
    if (!this.#isOurs(site)) return;
    const isRecorded = this.add(file, bytes) === textOf(bytes);
    if (!isRecorded) this.#addLater(file, bytes);
    if (!this.#seesImports && mayImport.test(textOf(bytes))) this.#addBlind(file);
  }

  /** The source map of a file's transformed code. */
  addMap(file: string, map: string): void {
    this.#maps.set(file, map);
  }

  map(file: string): string | null {
    return this.#maps.get(file) ?? null;
  }

  /**
   * Ends loading: what is recorded by now is the suite's code, and what comes later was loaded by the run; `onLater` hears
   * of it at once.
   */
  close(onLater: (code: LaterCode) => void = ignore): SuiteCode {
    this.#isClosed = true;
    this.#onLater = onLater;
    const files = [...this.#files].map(([file, bytes]) => ({ path: this.#shown(file), bytes }));
    return {
      entry: this.#suite,
      digest: codeDigestOf(files),
      files: files
        .map(({ path: name, bytes }) => ({ path: name, sha256: sha256Hex(bytes) }))
        .sort(byPath),
      placeOf: (thrown) => this.#placeOf(thrown),
      later: () => ({
        files: [...this.#later].sort(byPath),
        blind: [...this.#blind].map((file) => this.#shown(file)).sort(),
      }),
      contents: () => new Map(files.map(({ path: name, bytes }) => [name, bytes])),
      noteLater: (code) => {
        for (const file of code.files) this.#noteLater(file);
        for (const file of code.blind)
          this.#addBlind(path.resolve(path.dirname(this.#suite), file));
      },
    };
  }

  /** What another program's module asks for is none of ours; what a package asks for may be. */
  #isOurs({ importer }: ModuleSite): boolean {
    return (
      importer === null ||
      importer === this.#suite ||
      !isLocalFile(importer) ||
      this.#files.has(importer)
    );
  }

  #addLater(file: string, bytes: Uint8Array): void {
    this.#noteLater({ path: this.#shown(file), sha256: sha256Hex(bytes) });
  }

  #noteLater(later: LaterFile): void {
    const isKnown = this.#later.some(
      ({ path: name, sha256 }) => name === later.path && sha256 === later.sha256,
    );
    if (isKnown) return;
    this.#later.push(later);
    this.#onLater({ files: [later], blind: [] });
  }

  #addBlind(file: string): void {
    if (this.#blind.has(file)) return;
    this.#blind.add(file);
    this.#onLater({ files: [], blind: [this.#shown(file)] });
  }

  #placeOf(thrown: unknown): string | null {
    const frame = frameOf(thrown, this);
    if (frame === null) return null;
    const { file, line, column } = frame;
    return [this.#shown(file), line, ...(column === null ? [] : [column])].join(":");
  }

  /** Relative to the suite's folder, with forward slashes. */
  #shown(file: string): string {
    return path.relative(path.dirname(this.#suite), file).split(path.sep).join("/");
  }
}

type LaterFile = SuiteCode["files"][number];

/** `import` as a function in CommonJS code; a comment that looks like it does no harm. */
const mayImport = /\bimport\s*\(/;

function ignore(): void {}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

function byPath(a: LaterFile, b: LaterFile): number {
  if (a.path === b.path) return 0;
  return a.path < b.path ? -1 : 1;
}
