import { isUtf8 } from "node:buffer";
import { constants, existsSync, type Stats } from "node:fs";
import {
  chmod,
  type FileHandle,
  lstat,
  open,
  readdir,
  readlink,
  rename,
  rmdir,
  unlink,
} from "node:fs/promises";
import { join, relative, sep } from "node:path";

import type { FileFacts } from "../../contracts/files.ts";
import { compareText } from "../../support/natural-order.ts";
import { RefusedPath, readError, reading, systemCodeOf } from "./system-errors.ts";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Of Linux; Node has no name for it. */
const O_PATH = 0o10000000;
const hasOpenFilePaths = process.platform === "linux" && existsSync("/proc/self/fd");

/** A name of a directory's entry: its bytes when they are no UTF-8. */
export type EntryName = string | Buffer;

export interface EntryFacts extends FileFacts {
  /** The owner may execute it. */
  readonly isExecutable: boolean;
}

/** A name as text; bytes that are no UTF-8 are replaced. */
export function shownName(name: EntryName): string {
  return name.toString("utf8");
}

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

  /** Opens `path`, which lies below the directory `root`, without following a link on the way from there. */
  static async below(root: string, path: string): Promise<OpenDirectory> {
    const steps = relative(root, path).split(sep);
    if (steps.includes("..")) throw readError(path, new RefusedPath("EPERM", "it lies elsewhere"));
    let directory = await OpenDirectory.open(root);
    for (const step of steps.filter((name) => name !== "")) {
      const parent = directory;
      try {
        directory = await parent.openDirectory(step);
      } finally {
        await parent.close();
      }
    }
    return directory;
  }

  async openDirectory(name: EntryName): Promise<OpenDirectory> {
    const path = this.#shown(name);
    const handle = await reading(path, () => openDirectory(this.#entry(name), path));
    return new OpenDirectory(path, handle);
  }

  async openFile(name: EntryName): Promise<FileHandle> {
    return await reading(this.#shown(name), () =>
      open(this.#entry(name), O_RDONLY | O_NONBLOCK | O_NOFOLLOW),
    );
  }

  /** Names in code-unit order. */
  async names(): Promise<EntryName[]> {
    const names = await reading(this.path, () => readdir(this.#entry("."), { encoding: "buffer" }));
    return names.map((name) => (isUtf8(name) ? shownName(name) : name)).sort(compareNames);
  }

  /** What the entry is, or null when it has gone. */
  async facts(name: EntryName): Promise<EntryFacts | null> {
    return await factsOf(this.#entry(name), this.#shown(name));
  }

  /** Null when it is no UTF-8. */
  async linkTarget(name: EntryName): Promise<string | null> {
    const target = await reading(this.#shown(name), () =>
      readlink(this.#entry(name), { encoding: "buffer" }),
    );
    return isUtf8(target) ? target.toString("utf8") : null;
  }

  /** Gives us all rights on an inner directory; a link in its place is refused. */
  async unlockDirectory(name: EntryName): Promise<void> {
    if (!hasOpenFilePaths) {
      await chmod(this.#entry(name), 0o700);
      return;
    }
    // Without the right to read it, it can be opened only as a place.
    const place = await open(this.#entry(name), O_PATH | O_DIRECTORY | O_NOFOLLOW);
    try {
      await chmod(`/proc/self/fd/${place.fd}`, 0o700);
    } finally {
      await place.close();
    }
  }

  async removeEntry(name: EntryName, kind: "file" | "directory"): Promise<void> {
    await (kind === "directory" ? rmdir(this.#entry(name)) : unlink(this.#entry(name)));
  }

  async moveEntry(name: EntryName, to: OpenDirectory, newName: string): Promise<void> {
    await rename(this.#entry(name), to.#entry(newName));
  }

  /** A path that leads to an entry of this very directory while it is open. */
  placeOf(name: string): string {
    return this.#entry(name) as string;
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  #shown(name: EntryName): string {
    return join(this.path, shownName(name));
  }

  #entry(name: EntryName): string | Buffer {
    const folder = hasOpenFilePaths ? `/proc/self/fd/${this.handle.fd}/` : `${this.path}${sep}`;
    return typeof name === "string"
      ? `${folder}${name}`
      : Buffer.concat([Buffer.from(folder), name]);
  }
}

function compareNames(a: EntryName, b: EntryName): number {
  return compareText(shownName(a), shownName(b)) || Buffer.compare(Buffer.from(a), Buffer.from(b));
}

/** What lies at the path itself, or null. */
export async function factsOf(
  path: string | Buffer,
  shownPath: string,
): Promise<EntryFacts | null> {
  try {
    const facts = await lstat(path);
    const { mode, size: sizeBytes, mtimeMs: modifiedMs } = facts;
    const isExecutable = (mode & 0o100) !== 0;
    return { kind: kindOf(facts), sizeBytes, modifiedMs, isExecutable };
  } catch (thrown) {
    const code = systemCodeOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    return await reading(shownPath, () => Promise.reject(thrown));
  }
}

function kindOf(facts: Stats): FileFacts["kind"] {
  if (facts.isFile()) return "file";
  if (facts.isDirectory()) return "directory";
  return facts.isSymbolicLink() ? "link" : "other";
}

/** `shownPath` is what errors name. A link at the path itself is refused. */
export async function openDirectory(path: string | Buffer, shownPath: string): Promise<FileHandle> {
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
