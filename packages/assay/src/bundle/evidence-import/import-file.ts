import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";

import type { FileStore } from "../../contracts/files.ts";
import type { Redactor, SettingsForm } from "../../contracts/redactor.ts";
import { wholeCharactersEnd } from "../../platform/whole-characters.ts";
import type { EvidenceFile } from "../../schema/evidence-file.ts";
import { sha256Hex } from "../../support/digest.ts";
import { ArchiveCopy } from "./archives/archive-copy.ts";
import { lookInside, type WhyUnread } from "./archives/look-inside.ts";
import { mediaTypeOf } from "./media-type.ts";

/** A file that was left behind, wherever it lies. */
export interface SourceFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly isExecutable: boolean;
  /** How it holds settings, when it does: values go by their names then. */
  readonly form: SettingsForm | null;
  readChunks(): AsyncIterable<Uint8Array>;
}

export interface FileImport {
  readonly source: SourceFile;
  /** Absolute. */
  readonly to: string;
  /** A directory above: no link is followed on the way from there. */
  readonly below: string;
  readonly maxBytes: number;
}

interface Tools {
  readonly files: FileStore;
  readonly redactor: Redactor;
}

export type StoredFile = Omit<EvidenceFile, "path" | "taskId" | "trialId">;

/** What is measured of a file while it passes. */
class Passage {
  readonly #hash = createHash("sha256");
  readBytes = 0;
  storedBytes = 0;
  redactions = 0;
  isTruncated = false;
  /** Text holds no NUL; any encoding that does would be broken by a replacement. */
  isBinary = false;
  readonly archive = new ArchiveCopy();

  emit(chunk: Uint8Array): Uint8Array {
    this.#hash.update(chunk);
    this.storedBytes += chunk.byteLength;
    return chunk;
  }

  sha256(): string {
    return this.#hash.digest("hex");
  }
}

/**
 * Streams one file into the bundle: bounded, redacted, hashed; its name is left to be synced. A binary file that holds a
 * secret is withheld, and so is an archive that holds one or cannot be looked into.
 */
export async function importFile(file: FileImport, tools: Tools): Promise<StoredFile> {
  const { source, to, below } = file;
  const { isExecutable } = source;
  const passage = new Passage();
  const options = { isExecutable, isNameDurable: false, below };
  await tools.files.writeNew(to, cleanChunks(file, tools.redactor, passage), options);
  const why = await whyWithheld(passage, tools.redactor);
  if (why !== null) return await withhold(file, { ...why, passage }, tools);
  const { isBinary, isTruncated, redactions } = passage;
  return {
    sizeBytes: passage.storedBytes,
    sha256: passage.sha256(),
    mediaType: mediaTypeOf(source.name, isBinary),
    redactions,
    isExecutable,
    isTruncated,
    isWithheld: false,
  };
}

const nothing: Uint8Array = new Uint8Array(0);

/** A document is read as a whole; of a larger one the names are not looked at. */
const maxDocumentBytes = 16 * 1024 * 1024;

/** The file without what its names say is a credential. What is no text passes as it is. */
async function* documentChunks(
  { form, readChunks }: SourceFile,
  redactor: Redactor,
  passage: Passage,
): AsyncGenerator<Uint8Array> {
  let kept: Uint8Array[] = [];
  let keptBytes = 0;
  let isKept = form !== null;
  for await (const chunk of readChunks()) {
    if (!isKept) {
      yield chunk;
      continue;
    }
    kept.push(Buffer.from(chunk));
    keptBytes += chunk.byteLength;
    if (keptBytes <= maxDocumentBytes) continue;
    isKept = false;
    yield* kept;
    kept = [];
  }
  const bytes = Buffer.concat(kept);
  if (!isKept || form === null || !isUtf8(bytes)) {
    if (bytes.length > 0) yield bytes;
    return;
  }
  const { text, removed } = await redactor.document(bytes.toString("utf8"), form);
  passage.redactions = removed;
  yield removed === 0 ? bytes : Buffer.from(text);
}

/** What comes of the first `maxBytes` of a file; a secret that reaches beyond them is seen whole. */
async function* cleanChunks(
  { source, maxBytes }: FileImport,
  redactor: Redactor,
  passage: Passage,
): AsyncGenerator<Uint8Array> {
  const stream = redactor.stream();
  const limit = maxBytes + stream.lookahead;
  let last = nothing;
  for await (const chunk of documentChunks(source, redactor, passage)) {
    const room = Math.max(0, limit - passage.readBytes);
    passage.isBinary ||= chunk.includes(0);
    passage.archive.add(chunk);
    passage.readBytes += chunk.byteLength;
    yield passage.emit(last);
    last = stream.push(chunk.subarray(0, room));
    if (passage.readBytes > limit) break;
  }
  passage.isTruncated = passage.readBytes > maxBytes;
  const missing = Math.max(0, limit - passage.readBytes);
  // No form of a secret holds a NUL: with enough of them behind it, every place up to the limit is decided.
  const end = passage.isTruncated ? stream.push(new Uint8Array(missing)) : stream.end();
  const tail = Buffer.concat([last, end]);
  const isWhole = passage.isBinary || !passage.isTruncated;
  yield passage.emit(isWhole ? tail : tail.subarray(0, wholeCharactersEnd(tail)));
  passage.redactions += stream.count;
}

interface WhyWithheld {
  /** Of the note that takes its place. */
  readonly what: string;
  readonly because: string;
  readonly redactions: number;
}

const unreadBecause: Readonly<Record<WhyUnread, string>> = {
  damaged: "could not be looked into: it is damaged or encrypted",
  format: "could not be looked into: its format is not read",
  too_large: "could not be looked into: it is too large",
};

/** Removing bytes from a binary file or an archive would break it without a word. */
async function whyWithheld(passage: Passage, redactor: Redactor): Promise<WhyWithheld | null> {
  const { isBinary, isTruncated, redactions } = passage;
  const because = "held a secret";
  const copied = passage.archive.end();
  const isArchive = copied?.isArchive === true;
  const what = isArchive ? "an archive" : "a binary file";
  if (redactions > 0 && (isBinary || isArchive)) return { what, because, redactions };
  if (copied === null) return null;
  if (isArchive && (!copied.isWhole || isTruncated))
    return { what, because: unreadBecause.too_large, redactions };
  const { secrets, unread } = await lookInside(copied.bytes, redactor);
  if (secrets > 0) return { what, because, redactions: secrets };
  return unread === null ? null : { what, because: unreadBecause[unread], redactions };
}

async function withhold(
  { to, below }: Pick<FileImport, "to" | "below">,
  { what, because, redactions, passage }: WhyWithheld & { readonly passage: Passage },
  { files, redactor }: Tools,
): Promise<StoredFile> {
  const size = `${passage.isTruncated ? "more than " : ""}${passage.readBytes} bytes`;
  const note = `Withheld by Assay: ${what} of ${size} that ${because}.\n`;
  await files.writeAtomic(to, note, { below });
  redactor.countWithheld();
  return {
    sizeBytes: Buffer.byteLength(note),
    sha256: sha256Hex(note),
    mediaType: "text/plain",
    redactions,
    isExecutable: false,
    isTruncated: false,
    isWithheld: true,
  };
}
