import { archiveKindOf, tellingBytes } from "./archive-kind.ts";
import { archiveLimits } from "./look-inside.ts";

/** Keeps the bytes of a file while it passes, when it is an archive and small enough to be looked into. */
export class ArchiveCopy {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isArchive: boolean | null = null;

  add(chunk: Uint8Array): void {
    if (this.#isArchive === false) return;
    this.#bytes += chunk.byteLength;
    if (this.#isTooLarge) this.#chunks = [];
    else this.#chunks.push(Buffer.from(chunk));
    if (this.#isArchive === null && this.#bytes >= tellingBytes) this.#decide();
  }

  /** After the last chunk: the file; `too_large`; null when it is no archive. */
  end(): Buffer | "too_large" | null {
    if (this.#isArchive === null) this.#decide();
    if (this.#isArchive === false) return null;
    return this.#isTooLarge ? "too_large" : Buffer.concat(this.#chunks);
  }

  get #isTooLarge(): boolean {
    return this.#bytes > archiveLimits.fileBytes;
  }

  #decide(): void {
    this.#isArchive = archiveKindOf(Buffer.concat(this.#chunks).subarray(0, tellingBytes)) !== null;
    if (!this.#isArchive) this.#chunks = [];
  }
}
