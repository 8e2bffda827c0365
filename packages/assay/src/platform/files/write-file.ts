import { randomBytes } from "node:crypto";
import type { Stats } from "node:fs";
import { type FileHandle, link, lstat, open, rename, rm, symlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import type { BelowOption, LineWriter, NewFileOptions } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { atPath } from "./below.ts";
import { factsOf } from "./open-directory.ts";
import { type CreateOptions, openAtEnd, openNew, writeAll } from "./open-file.ts";
import { RefusedPath, storeError, systemCodeOf, writing } from "./system-errors.ts";

type Chunks = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
type Data = string | Uint8Array | Iterable<string>;

export async function writeAtomic(
  path: string,
  data: Data,
  options: BelowOption = {},
): Promise<void> {
  await atPath(path, options, async (place) => {
    const temporary = temporarySibling(place);
    await writing(path, async () => {
      await writeNewFile(temporary, bytesOf(data), { shownPath: path });
      try {
        await rename(temporary, place);
      } catch (thrown) {
        await rm(temporary, { force: true });
        throw thrown;
      }
    });
    await syncDirectory(dirname(place));
  });
}

export async function createAtomic(path: string, data: string): Promise<boolean> {
  const temporary = temporarySibling(path);
  const isCreated = await writing(path, async () => {
    await writeNewFile(temporary, bytesOf(data), { shownPath: path });
    try {
      await link(temporary, path);
      return true;
    } catch (thrown) {
      if (systemCodeOf(thrown) === "EEXIST") return false;
      // Whoever made the file first may have taken our temporary one for a leftover.
      if (systemCodeOf(thrown) === "ENOENT" && (await factsOf(path, path)) !== null) return false;
      if (!noHardLinks.has(systemCodeOf(thrown) ?? "")) throw thrown;
      return await createInPlace(path, data);
    } finally {
      await rm(temporary, { force: true });
    }
  });
  if (isCreated) await syncDirectory(dirname(path));
  return isCreated;
}

/** What file systems say that have no hard links. */
const noHardLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

async function createInPlace(path: string, data: string): Promise<boolean> {
  try {
    await writeNewFile(path, bytesOf(data), {});
    return true;
  } catch (thrown) {
    if (AssayError.isInstance(thrown) && thrown.data["systemCode"] === "EEXIST") return false;
    throw thrown;
  }
}

export async function renameFile(from: string, to: string): Promise<void> {
  await writing(to, () => rename(from, to));
  await syncDirectory(dirname(to));
}

export async function writeNew(
  path: string,
  chunks: Chunks,
  {
    isExecutable = false,
    isDurable = true,
    isNameDurable = isDurable,
    ...options
  }: NewFileOptions = {},
): Promise<void> {
  await atPath(path, options, async (place) => {
    await writeNewFile(place, chunks, { isExecutable, isDurable, shownPath: path });
    if (isNameDurable) await syncDirectory(dirname(place));
  });
}

export async function makeLink(
  path: string,
  target: string,
  options: BelowOption = {},
): Promise<void> {
  await atPath(path, options, async (place) => {
    await writing(path, () => symlink(target, place));
    await syncDirectory(dirname(place));
  });
}

/** Makes the names in a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  await writing(path, async () => {
    const handle = await open(path, "r");
    try {
      await handle.sync();
    } catch (thrown) {
      // Some network file systems cannot sync a directory, and keep names in order without it.
      if (systemCodeOf(thrown) !== "EINVAL") throw thrown;
    } finally {
      await handle.close();
    }
  });
}

export async function openAppend(
  path: string,
  { keepBytes }: { readonly keepBytes?: number } = {},
): Promise<LineWriter> {
  const handle = await openAtEnd(path);
  try {
    if (keepBytes !== undefined) await handle.truncate(keepBytes);
    await syncDirectory(dirname(path));
    return new AppendedFile(path, handle, await handle.stat());
  } catch (thrown) {
    await handle.close();
    throw storeError(path, thrown);
  }
}

/** Appends take their turn; one that fails is taken back, so that no torn line lies before a later one. */
class AppendedFile implements LineWriter {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #opened: Stats;
  #sizeBytes: number;
  #isTorn = false;
  #last: Promise<void> = Promise.resolve();

  constructor(path: string, handle: FileHandle, opened: Stats) {
    this.#path = path;
    this.#handle = handle;
    this.#opened = opened;
    this.#sizeBytes = opened.size;
  }

  append(lines: string | Uint8Array): Promise<void> {
    return this.#inTurn(() => this.#append(typeof lines === "string" ? Buffer.from(lines) : lines));
  }

  sync(): Promise<void> {
    return this.#inTurn(async () => {
      await this.#handle.datasync();
      await this.#assertInPlace();
    });
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#handle.close());
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(() => writing(this.#path, work));
    // A failure belongs to whoever asked; the next in turn starts from a whole file.
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** A file that was removed takes bytes as before, and nobody finds them again. */
  async #assertInPlace(): Promise<void> {
    const now = await lstat(this.#path);
    if (now.ino === this.#opened.ino && now.dev === this.#opened.dev) return;
    throw new RefusedPath("ENOENT", "another file was put in its place");
  }

  async #append(bytes: Uint8Array): Promise<void> {
    if (this.#isTorn) throw new RefusedPath("EIO", "an earlier write left half a line at its end");
    try {
      await writeAll(this.#handle, bytes);
      this.#sizeBytes += bytes.length;
    } catch (thrown) {
      this.#isTorn = true;
      await this.#handle.truncate(this.#sizeBytes);
      this.#isTorn = false;
      throw thrown;
    }
  }
}

/** The file is synced unless it need not last; it is removed again should anything fail. */
async function writeNewFile(
  path: string,
  chunks: Chunks,
  { isDurable = true, ...options }: CreateOptions & Pick<NewFileOptions, "isDurable">,
): Promise<void> {
  const { shownPath = path } = options;
  const handle = await openNew(path, options);
  try {
    for await (const chunk of chunks) await writing(shownPath, () => writeAll(handle, chunk));
    if (isDurable) await writing(shownPath, () => handle.sync());
  } catch (thrown) {
    await rm(path, { force: true });
    throw thrown;
  } finally {
    await handle.close();
  }
}

function temporarySibling(path: string): string {
  // Names have at most 255 bytes, and a character has up to 4.
  const name = basename(path).slice(0, 50);
  return join(dirname(path), `.${name}.${randomBytes(6).toString("hex")}.tmp`);
}

/** A longer text is out of reach of the quick rounds of the collector. */
const pieceLength = 64 * 1024;

/** Small pieces are joined before they are written. */
function* bytesOf(data: Data): Generator<Uint8Array> {
  if (data instanceof Uint8Array) {
    yield data;
    return;
  }
  let text = "";
  for (const piece of typeof data === "string" ? [data] : data) {
    text += piece;
    if (text.length < pieceLength) continue;
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}
