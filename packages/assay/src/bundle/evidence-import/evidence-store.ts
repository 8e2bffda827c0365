import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import type { Redactor } from "../../contracts/redactor.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { EvidenceFile } from "../../schema/evidence-file.ts";
import { sha256Hex } from "../../support/digest.ts";
import { importFile, type SourceFile, type StoredFile } from "./import-file.ts";
import type { EarlierImport } from "./import-root.ts";

export interface ImportLimits {
  readonly fileBytes: number;
  readonly trialBytes: number;
  /** Files, folders and links of one trial. */
  readonly trialEntries: number;
  /** Entries of one folder of evidence that are looked at, left out or not. */
  readonly visitedEntries: number;
  readonly depth: number;
}

export const defaultImportLimits: ImportLimits = {
  fileBytes: 64 * 1024 * 1024,
  trialBytes: 1024 * 1024 * 1024,
  trialEntries: 20_000,
  visitedEntries: 200_000,
  depth: 100,
};

export interface ImportTools {
  readonly files: FileStore;
  readonly redactor: Redactor;
  readonly limits: ImportLimits;
}

export interface StorePlace {
  /** The bundle's directory. */
  readonly bundleDir: string;
  readonly taskId: string;
  readonly trialId: string;
}

/** Why something was left out, in one word; null when it was not. */
export type WhyOmitted = string | null;

/** Stores the evidence of one trial within its bounds. Paths are relative to the bundle. */
export class EvidenceStore {
  /** In the order in which they were begun. */
  readonly #rows: (EvidenceFile | null)[] = [];
  readonly #place: StorePlace;
  readonly #tools: ImportTools;
  /** Those that got an entry and have to be synced. */
  readonly #folders = new Set<string>();
  #entries = 0;
  #reservedBytes = 0;

  constructor(place: StorePlace, tools: ImportTools) {
    this.#place = place;
    this.#tools = tools;
  }

  get files(): readonly EvidenceFile[] {
    return this.#rows.filter((row) => row !== null);
  }

  async addFolder(at: string): Promise<WhyOmitted> {
    return await this.#within(async () => {
      await this.#makeFolder(at);
    });
  }

  async addFile(
    source: SourceFile,
    at: string,
    earlier: EarlierImport | null,
  ): Promise<WhyOmitted> {
    const { limits } = this.#tools;
    const maxBytes = Math.min(limits.fileBytes, limits.trialBytes - this.#reservedBytes);
    if (maxBytes <= 0) return "over_total_size";
    const reserved = Math.min(source.sizeBytes, maxBytes);
    this.#reservedBytes += reserved;
    const row = this.#rows.push(null) - 1;
    return await this.#within(async () => {
      await this.#makeFolder(path.posix.dirname(at));
      const to = path.join(this.#place.bundleDir, at);
      const stored = await importFile({ source, to, maxBytes, ...this.#below }, this.#tools);
      // It may have grown since it was looked at.
      this.#reservedBytes += Math.max(0, stored.sizeBytes - reserved);
      this.#rows[row] = this.#rowOf(at, earlier === null ? stored : together(stored, earlier));
    });
  }

  /** The row of a link is about its text. */
  async addLink(target: string, at: string): Promise<WhyOmitted> {
    return await this.#within(async () => {
      await this.#makeFolder(path.posix.dirname(at));
      await this.#tools.files.makeLink(path.join(this.#place.bundleDir, at), target, this.#below);
      this.#rows.push(this.#rowOf(at, linkFacts(target)));
    });
  }

  /** After the last entry: files are synced as they are written, names with their folders. */
  async sync(): Promise<void> {
    const { files } = this.#tools;
    const deepestFirst = [...this.#folders].sort((a, b) => b.length - a.length);
    for (const folder of deepestFirst)
      await files.syncDirectory(path.join(this.#place.bundleDir, folder));
  }

  /** An agent may know where the bundle lies, and put links in it. */
  get #below() {
    return { below: this.#place.bundleDir };
  }

  #rowOf(at: string, stored: StoredFile): EvidenceFile {
    const { taskId, trialId } = this.#place;
    return { path: at, taskId, trialId, ...stored };
  }

  async #makeFolder(at: string): Promise<void> {
    if (this.#folders.has(at)) return;
    await this.#tools.files.makeDirectory(path.join(this.#place.bundleDir, at), this.#below);
    for (let folder = at; !this.#folders.has(folder); folder = path.posix.dirname(folder))
      this.#folders.add(folder);
  }

  async #within(store: () => Promise<void>): Promise<WhyOmitted> {
    if (this.#entries >= this.#tools.limits.trialEntries) return "over_entry_count";
    this.#entries += 1;
    try {
      await store();
      return null;
    } catch (thrown) {
      const why = whyOmitted(thrown);
      if (why === null) throw thrown;
      return why;
    }
  }
}

function linkFacts(target: string): StoredFile {
  return {
    sizeBytes: Buffer.byteLength(target),
    sha256: sha256Hex(target),
    mediaType: "inode/symlink",
    redactions: 0,
    isExecutable: false,
    isTruncated: false,
    isWithheld: false,
  };
}

function together(stored: StoredFile, earlier: EarlierImport): StoredFile {
  return {
    ...stored,
    redactions: stored.redactions + earlier.redactions,
    isTruncated: stored.isTruncated || earlier.isTruncated,
    isWithheld: stored.isWithheld || earlier.isWithheld,
  };
}

const unreadable: Readonly<Record<string, string>> = {
  ENOENT: "missing",
  ENOTDIR: "missing",
  ELOOP: "link",
};

/** Names that the file system of the bundle does not take. */
const refusedNames: Readonly<Record<string, string>> = {
  ENAMETOOLONG: "name_too_long",
  EEXIST: "name_taken",
  EINVAL: "name_refused",
  EILSEQ: "name_refused",
};

/** Null for what is no fault of the entry: then the bundle cannot be written, and the run must end. */
export function whyOmitted(thrown: unknown): WhyOmitted {
  if (!AssayError.isInstance(thrown)) return null;
  const systemCode = String(thrown.data["systemCode"]);
  if (thrown.code === "ASSAY_FILE_UNREADABLE") return unreadable[systemCode] ?? "unreadable";
  return thrown.code === "ASSAY_STORE_FAILED" ? (refusedNames[systemCode] ?? null) : null;
}
