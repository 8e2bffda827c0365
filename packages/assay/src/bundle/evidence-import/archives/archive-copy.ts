import { archiveKindOf, tellingBytes } from "./archive-kind.ts";
import { holdsMember, looksLikeText } from "./hidden-streams.ts";
import { archiveLimits } from "./look-inside.ts";

/** What is kept of a file to be looked into. */
export interface Copied {
  readonly bytes: Buffer;
  /** By its first bytes; others may hold compressed bytes all the same. */
  readonly isArchive: boolean;
  readonly isWhole: boolean;
}

const nothing: Uint8Array = new Uint8Array(0);
/** So many bytes of the beginning of a member may lie before a chunk. */
const memberStart = 3;

/**
 * Keeps the bytes of a file while it passes: of an archive, of what is no text, and of a text from where a compressed
 * member begins in it. No more than may be looked into.
 */
export class ArchiveCopy {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isArchive: boolean | null = null;
  #isKept = true;
  #before: Uint8Array = nothing;

  add(chunk: Uint8Array): void {
    if (!this.#isKept) this.#lookForMember(chunk);
    if (!this.#isKept) return;
    this.#bytes += chunk.byteLength;
    if (!this.#isTooLarge) this.#chunks.push(Buffer.from(chunk));
    else if (this.#isArchive === true) this.#chunks = [];
    if (this.#isArchive === null && this.#bytes >= tellingBytes) this.#decide();
  }

  /** After the last chunk; null when there is nothing to look into. */
  end(): Copied | null {
    if (this.#isArchive === null) this.#decide();
    if (!this.#isKept) return null;
    return {
      bytes: Buffer.concat(this.#chunks),
      isArchive: this.#isArchive === true,
      isWhole: !this.#isTooLarge,
    };
  }

  get #isTooLarge(): boolean {
    return this.#bytes > archiveLimits.fileBytes;
  }

  #decide(): void {
    const bytes = Buffer.concat(this.#chunks);
    const start = bytes.subarray(0, tellingBytes);
    this.#isArchive = archiveKindOf(start) !== null;
    this.#isKept = this.#isArchive || !looksLikeText(start) || holdsMember(bytes);
    if (this.#isKept) return;
    this.#before = bytes.subarray(-memberStart);
    this.#chunks = [];
    this.#bytes = 0;
  }

  /** From the chunk on that the beginning of a member ends in, with what came right before it. */
  #lookForMember(chunk: Uint8Array): void {
    const bytes = Buffer.concat([this.#before, chunk]);
    this.#isKept = holdsMember(bytes);
    if (this.#isKept) {
      this.#chunks = [Buffer.from(this.#before)];
      this.#bytes = this.#before.byteLength;
    }
    this.#before = bytes.subarray(-memberStart);
  }
}
