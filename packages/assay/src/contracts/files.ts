/** An append-only file of whole lines. */
export interface LineWriter {
  /** Appends lines: text, or its bytes, that ends with a newline. Not durable before `sync`. */
  append(lines: string | Uint8Array): Promise<void>;
  /** Rejects when the file was moved, removed or replaced meanwhile: nobody would find what it got. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export interface FileFacts {
  readonly kind: "file" | "directory" | "link" | "other";
  readonly sizeBytes: number;
  /** When it was last written, in milliseconds since the epoch. */
  readonly modifiedMs: number;
}

export interface ReadChunksOptions {
  readonly below?: string;
  /** Every chunk has the memory of the one before, which then no longer holds. By default each has its own. */
  readonly reuse?: boolean;
}

/** A regular file that is held open, whatever becomes of its name. Whoever opens it closes it. */
export interface OpenFile {
  /** From the beginning to the end; once. */
  readChunks(): AsyncIterable<Uint8Array>;
  /** May be called twice. */
  close(): Promise<void>;
}

/**
 * One entry met while walking a directory. Links are reported, never followed. What it opens or reads, it takes from the
 * very directory that was walked, whatever stands at its path by now, and only until the walk goes on.
 */
export interface WalkEntry {
  /**
   * Relative to the root of the walk, with forward slashes. Bytes that are no UTF-8 are replaced in it, so two entries
   * may show the same path.
   */
  readonly path: string;
  readonly kind: FileFacts["kind"];
  readonly sizeBytes: number;
  /** The owner may execute it. */
  readonly isExecutable: boolean;
  /** A regular file; reading it may go on beside the walk. */
  open(): Promise<OpenFile>;
  /** Where a link leads, as it is written; null when that is no UTF-8. */
  linkTarget(): Promise<string | null>;
}

export interface WalkOptions {
  /** A directory above the root: no step from it to the root follows a link. */
  readonly below?: string;
  /** Directories this deep are reported and not entered. Default: no limit. */
  readonly maxDepth?: number;
  /** Told of a directory below the root that cannot be read; without it that is an error. */
  readonly onUnreadable?: (path: string) => void;
}

/**
 * Files, for everything above the platform layer. New files are private (0600), new directories 0700.
 * System errors become `ASSAY_STORE_FAILED` when writing and `ASSAY_FILE_UNREADABLE` when reading, with the path and
 * the system's code in `data.systemCode`. Reading takes regular files only and never waits for the other end of a FIFO;
 * what is read whole and is over `maxBytes`, 64 MiB by default, is an error (`EFBIG`).
 */
export interface FileStore {
  readText(path: string, options?: { readonly maxBytes?: number }): Promise<string>;
  readBytes(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array>;
  /** Opens without following a final link and refuses anything but a regular file. */
  readRegular(path: string, options?: { readonly maxBytes?: number }): Promise<Uint8Array>;
  /** Whole lines of a file, without their newline; CRLF and a missing last newline are accepted; blank lines are kept. */
  readLines(path: string, options?: ReadLinesOptions): AsyncIterable<string>;
  /** The same lines, many at a time: to wait for each of a million costs more than to read them. */
  readLineBatches(path: string, options?: ReadLinesOptions): AsyncIterable<readonly string[]>;
  /**
   * The bytes of whole lines, many at a time, with the newlines between them and the carriage returns. Their memory is
   * written anew for the next ones.
   */
  readLineBytes(path: string, options?: ReadLinesOptions): AsyncIterable<Uint8Array>;
  /**
   * Whole lines of a file that another program writes at its end, as they appear. The file need not be there yet; a link
   * at the path is an error.
   */
  followLines(path: string, options: FollowLinesOptions): AsyncIterable<readonly string[]>;
  /** Chunks of a regular file, opened without following a final link, nor any link below the directory `below`. */
  readChunks(path: string, options?: ReadChunksOptions): AsyncIterable<Uint8Array>;
  /** What lies at the path itself (a link is a link), or null. */
  stat(path: string): Promise<FileFacts | null>;
  realPath(path: string): Promise<string>;
  list(path: string): Promise<readonly string[]>;
  /** Depth first, names sorted by code unit, links not followed. */
  walk(root: string, options?: WalkOptions): AsyncIterable<WalkEntry>;
  /** Temporary sibling, sync, rename over the target (a link there is replaced), sync of the directory. Pieces end between characters. */
  writeAtomic(
    path: string,
    data: string | Uint8Array | Iterable<string>,
    options?: BelowOption,
  ): Promise<void>;
  /** Makes a file that is whole from the first moment on; false when anything is at the path already. Synced. */
  createAtomic(path: string, data: string): Promise<boolean>;
  /** Moves a file to another name in its directory, over what is there. The directory is synced. */
  rename(from: string, to: string): Promise<void>;
  /**
   * Puts a directory in the place of another of the same parent, which is removed. Code of this process sees one of them at
   * all times. Not synced.
   */
  replaceDirectory(from: string, to: string): Promise<void>;
  /** Writes a new file; a file, link or anything else that is already there is an error. Synced. */
  writeNew(
    path: string,
    chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    options?: NewFileOptions,
  ): Promise<void>;
  /** Makes a link whose text is `target`; anything that is already at the path is an error. */
  makeLink(path: string, target: string, options?: BelowOption): Promise<void>;
  /** `keepBytes`: what lies behind is cut off first. */
  openAppend(path: string, options?: { readonly keepBytes?: number }): Promise<LineWriter>;
  /** Creates a directory and its parents, 0700. */
  makeDirectory(path: string, options?: BelowOption): Promise<void>;
  /** Creates the directory, or takes an existing one that is no link, is ours, and repairs its mode to 0700. */
  makePrivateDirectory(path: string): Promise<void>;
  /** The same, parents included, for the few places that cannot wait. */
  makePrivateDirectorySync(path: string): void;
  syncDirectory(path: string): Promise<void>;
  copyTree(from: string, to: string, options?: CopyTreeOptions): Promise<void>;
  /** Removes a tree without following links; absent is fine. */
  remove(path: string): Promise<void>;
}

export interface ReadLinesOptions {
  /** A link at the path itself is an error (`ELOOP`). Default: it is followed. */
  readonly refuseLink?: boolean;
  /** A line that is a good deal longer is an error (`EFBIG`). Default: no limit. */
  readonly maxLineBytes?: number;
  /** Sees all bytes of the file, each before its line is given. The memory is used again. */
  readonly onChunk?: (chunk: Uint8Array) => void;
}

export interface FollowLinesOptions {
  /** Waits until it is time for another look. True says that the writer has ended: that look is the last one. */
  pause(): Promise<boolean>;
  /** Told of a last line without its newline: its writer was stopped before the end of it. */
  onTorn?(line: string): void;
  /** Longer lines are cut, and end with the mark of cut texts. Default: no limit. */
  readonly maxLineBytes?: number;
}

export interface BelowOption {
  /** A directory above the path: no step from it to the path follows a link. */
  readonly below?: string;
}

export interface NewFileOptions extends BelowOption {
  readonly isExecutable?: boolean;
  /** False for what need not outlive a crash of the machine: nothing is synced. Default true. */
  readonly isDurable?: boolean;
  /** False leaves it to `syncDirectory` to make the name last: for many files in one directory. Default true. */
  readonly isNameDurable?: boolean;
}

export interface CopyTreeOptions {
  /** Links that are absolute or leave the root are left out; others are copied as links. Default: all links are left out. */
  readonly keepInnerLinks?: boolean;
}
