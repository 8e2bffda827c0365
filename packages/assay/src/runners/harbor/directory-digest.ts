import { createHash, type Hash } from "node:crypto";
import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { isBelow } from "../../support/paths.ts";

/** What tools leave in folders of code, and what changes nothing. */
const passedOver = new Set([".git", "__pycache__", ".venv", ".uv", ".mypy_cache", ".pytest_cache"]);
/** Where a suite that lies in the folder has its runs work, at the top. */
const caches = ".cache";

type Files = Pick<FileStore, "walk" | "realPath" | "stat" | "readChunks">;

/**
 * Hex SHA-256 over what lies in a directory: of each entry its path, kind, executable bit and content, framed by their
 * lengths. A link counts by its text, and by what it leads to where that lies elsewhere: Python and Harbor read through
 * it. `without` is a folder in it that is no part of it. Times never count.
 */
export async function directoryDigest(
  directory: string,
  files: Files,
  without: string | null = null,
): Promise<string> {
  const hash = createHash("sha256");
  await new Walk(hash, files, without).add(await files.realPath(directory), "", []);
  return hash.digest("hex");
}

class Walk {
  readonly #hash: Hash;
  readonly #files: Files;
  readonly #without: string | null;

  constructor(hash: Hash, files: Files, without: string | null) {
    this.#hash = hash;
    this.#files = files;
    this.#without = without;
  }

  /** `above`: the directories whose walks led here. */
  async add(root: string, prefix: string, above: readonly string[]): Promise<void> {
    for await (const entry of this.#files.walk(root)) {
      const at = path.join(root, entry.path);
      if (this.#isPassedOver(entry.path, at)) continue;
      const shown = `${prefix}${entry.path}`;
      this.#frame(shown, entry.kind);
      if (entry.kind === "link") {
        this.#frame((await entry.linkTarget()) ?? "");
        await this.#addTarget(at, shown, [...above, root]);
      }
      if (entry.kind !== "file") continue;
      const file = await entry.open();
      try {
        await this.#addContent(file.readChunks(), entry.isExecutable);
      } finally {
        await file.close();
      }
    }
  }

  #isPassedOver(relative: string, at: string): boolean {
    if (relative.split("/").some((name) => passedOver.has(name))) return true;
    if (relative === caches || relative.startsWith(`${caches}/`)) return true;
    return this.#without !== null && (at === this.#without || isBelow(this.#without, at));
  }

  /** What a link leads to, unless that is walked anyway, or is above what is walked. */
  async #addTarget(link: string, shown: string, roots: readonly string[]): Promise<void> {
    const target = await this.#files.realPath(link).catch((thrown: unknown) => {
      if (!AssayError.isInstance(thrown)) throw thrown;
      return null;
    });
    if (target === null) return;
    if (roots.some((root) => root === target || isBelow(root, target) || isBelow(target, root)))
      return;
    const kind = (await this.#files.stat(target))?.kind;
    if (kind === "file") await this.#addContent(this.#files.readChunks(target), false);
    if (kind === "directory") await this.add(target, `${shown}/`, roots);
  }

  async #addContent(chunks: AsyncIterable<Uint8Array>, isExecutable: boolean): Promise<void> {
    const content = createHash("sha256");
    for await (const chunk of chunks) content.update(chunk);
    this.#frame(isExecutable ? "x" : "", content.digest("hex"));
  }

  #frame(...parts: readonly string[]): void {
    for (const part of parts) this.#hash.update(`${Buffer.byteLength(part)}:${part};`);
  }
}
