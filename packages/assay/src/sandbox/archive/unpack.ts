import path from "node:path";

import { type Entry, type Extract, extract } from "tar-stream";

import type { FileStore } from "../../contracts/files.ts";
import type { DownloadBounds, DownloadFacts, OmittedReason } from "../../contracts/sandbox.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { innerLink } from "../../support/inner-link.ts";

const defaultMaxBytes = 1024 ** 3;
const defaultMaxEntries = 100_000;
const maxNameLength = 4096;
/** What a file system says of a name that it cannot have. */
const badNames: ReadonlySet<unknown> = new Set(["ENAMETOOLONG", "EILSEQ", "EINVAL"]);
const takenNames: ReadonlySet<unknown> = new Set(["EEXIST", "ENOTDIR", "EISDIR"]);

interface PendingLink {
  readonly place: string;
  readonly target: string;
  readonly isHard: boolean;
}

/**
 * Writes what a tar archive of an untrusted container holds below a directory: private files and directories, and links
 * that cannot lead out. The first part of each name, that of the copied thing itself, is taken off. Links are made last,
 * so that no entry is ever written through one.
 */
export class Unpacker {
  readonly #files: FileStore;
  readonly #root: string;
  readonly #maxBytes: number;
  readonly #maxEntries: number;
  readonly #archive: Extract = extract();
  readonly #work: Promise<void>;
  #failure: { readonly thrown: unknown } | null = null;
  readonly #kinds = new Map<string, "file" | "directory" | "link">();
  readonly #links: PendingLink[] = [];
  readonly #omitted: Partial<Record<OmittedReason, number>> = {};
  #entryCount = 0;
  #fileCount = 0;
  #sizeBytes = 0;
  #isFull = false;

  constructor(
    files: FileStore,
    root: string,
    { maxBytes, maxEntries }: Pick<DownloadBounds, "maxBytes" | "maxEntries"> = {},
  ) {
    this.#files = files;
    this.#root = root;
    this.#maxBytes = maxBytes ?? defaultMaxBytes;
    this.#maxEntries = maxEntries ?? defaultMaxEntries;
    this.#work = this.#readEntries().catch((thrown: unknown) => {
      if (!this.#isFull) this.#failure = { thrown };
    });
  }

  /** A bound was reached: what comes now is dropped. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Resolves when there is room for more. Throws what cannot be stored. */
  async write(chunk: Uint8Array): Promise<void> {
    if (this.#isFull) return;
    if (this.#failure !== null) throw this.#failed();
    const isRoomy = this.#archive.write(Buffer.from(chunk));
    if (isRoomy) return;
    const drained = new Promise<void>((resolve) => this.#archive.once("drain", resolve));
    await Promise.race([drained, this.#work]);
    if (this.#failure !== null) throw this.#failed();
  }

  /** A bound that is not of this archive was reached. */
  cut(): void {
    this.#isFull = true;
    this.#archive.destroy();
  }

  /**
   * Makes the links. Throws when the archive is damaged or ends too soon; with `mayBeCut`, what lies before such an end is
   * all that there is.
   */
  async end({ mayBeCut = false }: { readonly mayBeCut?: boolean } = {}): Promise<DownloadFacts> {
    if (this.#isFull) this.#archive.destroy();
    else this.#archive.end();
    await this.#work;
    if (mayBeCut && isTooShort(this.#failure?.thrown)) {
      this.#failure = null;
      this.#isFull = true;
    }
    if (this.#failure !== null) throw this.#failed();
    for (const link of this.#links.filter(({ isHard }) => isHard)) await this.#copyLinked(link);
    for (const link of this.#links.filter(({ isHard }) => !isHard)) await this.#makeLink(link);
    return {
      fileCount: this.#fileCount,
      sizeBytes: this.#sizeBytes,
      omitted: this.#omitted,
      isTruncated: this.#isFull,
      isFound: this.#entryCount > 0,
    };
  }

  /** Nothing more comes. */
  async cancel(): Promise<void> {
    this.#archive.destroy();
    await this.#work;
  }

  #failed(): AssayError {
    const thrown = this.#failure?.thrown;
    if (AssayError.isInstance(thrown)) return thrown;
    return new AssayError("ASSAY_SANDBOX_FAILED", `the archive is damaged: ${messageOf(thrown)}`);
  }

  async #readEntries(): Promise<void> {
    for await (const entry of this.#archive as AsyncIterable<Entry>) {
      this.#entryCount += 1;
      if (this.#entryCount > this.#maxEntries) {
        this.#isFull = true;
        return;
      }
      await this.#take(entry);
      if (this.#isFull) return;
      entry.resume();
    }
  }

  async #take(entry: Entry): Promise<void> {
    const { name, type, linkname } = entry.header;
    const steps = stepsOf(name, type === "directory");
    if (steps === null) return this.#omit("unsafe_name");
    const place = steps.join("/");
    if (place === "" && type === "directory") return;
    if (place === "" || this.#isTaken(place, type === "directory"))
      return this.#omit(place === "" ? "unsafe_name" : "duplicate");
    switch (type) {
      case "directory":
        return await this.#makeDirectory(place);
      case "file":
      case "contiguous-file":
        return await this.#writeFile(place, entry);
      case "symlink":
      case "link":
        this.#kinds.set(place, "link");
        this.#links.push({ place, target: linkname ?? "", isHard: type === "link" });
        return;
      default:
        this.#omit("special_file");
    }
  }

  #omit(reason: OmittedReason): void {
    this.#omitted[reason] = (this.#omitted[reason] ?? 0) + 1;
  }

  /** Something else is at the place, or on the way to it. */
  #isTaken(place: string, isDirectory: boolean): boolean {
    const here = this.#kinds.get(place);
    if (here !== undefined && !(isDirectory && here === "directory")) return true;
    for (let end = place.lastIndexOf("/"); end > 0; end = place.lastIndexOf("/", end - 1)) {
      const above = this.#kinds.get(place.slice(0, end));
      if (above !== undefined && above !== "directory") return true;
    }
    return false;
  }

  async #makeDirectory(place: string): Promise<void> {
    if (this.#kinds.get(place) === "directory") return;
    const isMade = await this.#tried(() =>
      this.#files.makeDirectory(this.#pathOf(place), { below: this.#root }),
    );
    if (!isMade) return;
    for (let end = place.length; end > 0; end = place.lastIndexOf("/", end - 1))
      this.#kinds.set(place.slice(0, end), "directory");
  }

  async #writeFile(place: string, entry: Entry): Promise<void> {
    const parent = path.posix.dirname(place);
    if (parent !== ".") await this.#makeDirectory(parent);
    if (parent !== "." && this.#kinds.get(parent) !== "directory") return;
    await this.#store(place, entry as AsyncIterable<Uint8Array>, isExecutable(entry.header.mode));
  }

  async #store(
    place: string,
    chunks: AsyncIterable<Uint8Array>,
    executable: boolean,
  ): Promise<void> {
    const isStored = await this.#tried(() =>
      this.#files.writeNew(this.#pathOf(place), this.#within(chunks), {
        below: this.#root,
        isExecutable: executable,
        isDurable: false,
      }),
    );
    if (!isStored) return;
    this.#kinds.set(place, "file");
    this.#fileCount += 1;
  }

  /** The chunks until the bound is reached. */
  async *#within(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
    for await (const chunk of chunks) {
      const kept = chunk.subarray(0, this.#maxBytes - this.#sizeBytes);
      this.#sizeBytes += kept.length;
      if (kept.length > 0) yield kept;
      if (kept.length < chunk.length) {
        this.#isFull = true;
        return;
      }
    }
  }

  async #copyLinked({ place, target }: PendingLink): Promise<void> {
    const source = stepsOf(target, false)?.join("/") ?? "";
    if (this.#kinds.get(source) !== "file") return this.#omit("outward_link");
    const chunks = this.#files.readChunks(this.#pathOf(source), { below: this.#root });
    this.#kinds.delete(place);
    const parent = path.posix.dirname(place);
    if (parent !== ".") await this.#makeDirectory(parent);
    await this.#store(place, chunks, false);
  }

  async #makeLink({ place, target }: PendingLink): Promise<void> {
    const depth = place.split("/").length - 1;
    if (target === "" || innerLink(target, depth) === null) return this.#omit("outward_link");
    const parent = path.posix.dirname(place);
    if (parent !== ".") await this.#makeDirectory(parent);
    await this.#tried(() =>
      this.#files.makeLink(this.#pathOf(place), target, { below: this.#root }),
    );
  }

  /** False for a name that cannot be had here, which is noted. */
  async #tried(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (thrown) {
      const code = AssayError.isInstance(thrown) ? thrown.data["systemCode"] : null;
      if (badNames.has(code)) this.#omit("unsafe_name");
      else if (takenNames.has(code)) this.#omit("duplicate");
      else throw thrown;
      return false;
    }
  }

  #pathOf(place: string): string {
    return path.join(this.#root, place);
  }
}

/** As tar-stream tells it. */
function isTooShort(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message === "Unexpected end of data";
}

/**
 * The way down to an entry, without the first part of its name; null for a name that leads elsewhere. Of a single file
 * the name itself stays.
 */
function stepsOf(name: string, isDirectory: boolean): readonly string[] | null {
  if (name.startsWith("/") || name.includes("\0") || name.length > maxNameLength) return null;
  const steps = name.split("/").filter((step) => step !== "" && step !== ".");
  if (steps.includes("..")) return null;
  return steps.length === 1 && !isDirectory ? steps : steps.slice(1);
}

function isExecutable(mode: number | undefined): boolean {
  return ((mode ?? 0) & 0o100) !== 0;
}
