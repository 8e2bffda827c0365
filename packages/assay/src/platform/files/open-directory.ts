import { constants, existsSync } from "node:fs";
import { type FileHandle, lstat, mkdir, open, readdir, readlink } from "node:fs/promises";
import { join } from "node:path";

import type { FileFacts } from "../../contracts/files.ts";
import { RefusedPath, reading, systemCodeOf, writing } from "./system-errors.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const hasOpenFilePaths = process.platform === "linux" && existsSync("/proc/self/fd");

/**
 * A directory held open, so that what is done with its entries is done in that directory, even when somebody puts a link
 * in the place of it or of a directory above. Where the system has no paths of open files (macOS), the path is used.
 */
export class OpenDirectory {
  readonly path: string;
  readonly handle: FileHandle;

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.handle = handle;
  }

  /** A link at the path itself is refused. */
  static async open(path: string): Promise<OpenDirectory> {
    return new OpenDirectory(path, await reading(path, () => openDirectory(path, path)));
  }

  async openDirectory(name: string): Promise<OpenDirectory> {
    const path = join(this.path, name);
    const handle = await reading(path, () => openDirectory(this.#entry(name), path));
    return new OpenDirectory(path, handle);
  }

  async openFile(name: string): Promise<FileHandle> {
    return await reading(join(this.path, name), () =>
      open(this.#entry(name), O_RDONLY | O_NONBLOCK | O_NOFOLLOW),
    );
  }

  /** Names in code-unit order. */
  async names(): Promise<string[]> {
    return (await reading(this.path, () => readdir(this.#entry(".")))).sort();
  }

  /** What the entry is, or null when it has gone. */
  async facts(name: string): Promise<FileFacts | null> {
    return await factsOf(this.#entry(name), join(this.path, name));
  }

  async linkTarget(name: string): Promise<string> {
    return await reading(join(this.path, name), () => readlink(this.#entry(name)));
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  #entry(name: string): string {
    return hasOpenFilePaths ? `/proc/self/fd/${this.handle.fd}/${name}` : join(this.path, name);
  }
}

/** What lies at the path itself, or null. */
export async function factsOf(path: string, shownPath = path): Promise<FileFacts | null> {
  try {
    const facts = await lstat(path);
    const sizeBytes = facts.size;
    if (facts.isFile()) return { kind: "file", sizeBytes };
    if (facts.isDirectory()) return { kind: "directory", sizeBytes };
    return { kind: facts.isSymbolicLink() ? "link" : "other", sizeBytes };
  } catch (thrown) {
    const code = systemCodeOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    return await reading(shownPath, () => Promise.reject(thrown));
  }
}

export async function makeDirectory(path: string): Promise<void> {
  await writing(path, () => mkdir(path, { recursive: true, mode: 0o700 }));
}

/** `shownPath` is what errors name. A link at the path itself is refused. */
export async function openDirectory(path: string, shownPath: string): Promise<FileHandle> {
  try {
    return await open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  } catch (thrown) {
    // The system says the same of a link and of a file.
    if (systemCodeOf(thrown) !== "ENOTDIR" && systemCodeOf(thrown) !== "ELOOP") throw thrown;
    const facts = await factsOf(path, shownPath);
    throw facts?.kind === "link"
      ? new RefusedPath("ELOOP", "it is a link")
      : new RefusedPath("ENOTDIR", "it exists and is no directory");
  }
}
