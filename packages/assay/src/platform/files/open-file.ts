import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

import { RefusedPath, reading, writing } from "./system-errors.ts";

const privateMode = 0o600;
const executableMode = 0o700;
const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;

/** Opens a regular file to read. Anything else is refused without waiting: a FIFO would hang, a device never ends. */
export async function openRegular(path: string, links: "follow" | "refuse"): Promise<FileHandle> {
  const noFollow = links === "refuse" ? O_NOFOLLOW : 0;
  return await reading(path, async () => {
    const handle = await open(path, O_RDONLY | O_NONBLOCK | noFollow);
    return await requireRegular(handle);
  });
}

export interface CreateOptions {
  /** What errors name. */
  readonly shownPath?: string;
  readonly isExecutable?: boolean;
}

/** Creates a private file; whatever is already there, a link too, is an error. */
export async function openNew(
  path: string,
  { shownPath = path, isExecutable = false }: CreateOptions = {},
): Promise<FileHandle> {
  const flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW;
  return await writing(shownPath, () =>
    open(path, flags, isExecutable ? executableMode : privateMode),
  );
}

/** Opens a private file at its end, creating it when absent. */
export async function openAtEnd(path: string): Promise<FileHandle> {
  return await writing(path, async () => {
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;
    return await requireRegular(await open(path, flags, privateMode));
  });
}

/** Writes all of `bytes`: the system may take less than it is given. */
export async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written);
    written += bytesWritten;
  }
}

export async function requireRegular(handle: FileHandle): Promise<FileHandle> {
  try {
    const facts = await handle.stat();
    if (facts.isFile()) return handle;
    throw facts.isDirectory()
      ? new RefusedPath("EISDIR", "it is a directory")
      : new RefusedPath("EPERM", "it is no regular file");
  } catch (thrown) {
    await handle.close();
    throw thrown;
  }
}
