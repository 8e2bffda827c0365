import { type Headers, type Pack, pack } from "tar-stream";

import type { FileStore, WalkEntry } from "../../contracts/files.ts";

export interface ArchiveSettings {
  /** Whose the entries are. */
  readonly uid: number;
  readonly gid: number;
  /** Links are written as they are, not followed. Default: they are left out. */
  readonly keepLinks?: boolean;
}

/** A tar archive of the files and directories below a directory; special files are left out. */
export function packDirectory(
  files: FileStore,
  root: string,
  settings: ArchiveSettings,
): AsyncIterable<Uint8Array> {
  const archive = pack();
  void writeAll(archive, { files, root, settings }).then(
    () => archive.finalize(),
    (thrown: unknown) => archive.destroy(thrown as Error),
  );
  return archive as unknown as AsyncIterable<Uint8Array>;
}

async function writeAll(
  archive: Pack,
  { files, root, settings }: { files: FileStore; root: string; settings: ArchiveSettings },
): Promise<void> {
  const { keepLinks = false, ...owner } = settings;
  for await (const entry of files.walk(root)) {
    const { path: name, kind, sizeBytes, isExecutable } = entry;
    const common = { name, ...owner, mtime: new Date(0) };
    if (kind === "directory") {
      await addEntry(archive, { ...common, type: "directory", mode: 0o755 }, null);
    } else if (kind === "file") {
      const mode = isExecutable ? 0o755 : 0o644;
      await addEntry(archive, { ...common, type: "file", mode, size: sizeBytes }, entry);
    } else if (kind === "link" && keepLinks) {
      const linkname = await entry.linkTarget();
      if (linkname !== null)
        await addEntry(archive, { ...common, type: "symlink", linkname }, null);
    }
  }
}

/** A file that changes its size meanwhile is an error of the archive. */
async function addEntry(
  archive: Pack,
  header: Headers,
  file: Pick<WalkEntry, "open"> | null,
): Promise<void> {
  let settle: (thrown: Error | null | undefined) => void = () => {};
  const written = new Promise<void>((resolve, reject) => {
    settle = (thrown) => (thrown ? reject(thrown) : resolve());
  });
  // Whoever stops reading the archive fails the entry while its file is still being read.
  written.catch(() => {});
  const sink = archive.entry(header, settle);
  if (file === null) {
    sink?.end();
    await written;
    return;
  }
  const opened = await file.open();
  try {
    for await (const chunk of opened.readChunks()) {
      // The memory may be used again once the next chunk is asked for.
      const isRoomy = sink.write(Buffer.from(chunk));
      if (!isRoomy)
        await Promise.race([written, new Promise((resolve) => sink.once("drain", resolve))]);
    }
    sink.end();
    await written;
  } finally {
    await opened.close();
  }
}
