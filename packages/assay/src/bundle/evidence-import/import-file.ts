import { createHash } from "node:crypto";

import type { FileStore } from "../../contracts/files.ts";
import type { Redactor } from "../../contracts/redactor.ts";
import { wholeCharactersEnd } from "../../platform/whole-characters.ts";
import type { EvidenceFile } from "../../schema/evidence-file.ts";
import { sha256Hex } from "../../support/digest.ts";
import { mediaTypeOf } from "./media-type.ts";

/** A file that was left behind, wherever it lies. */
export interface SourceFile {
  readonly name: string;
  readonly sizeBytes: number;
  readonly isExecutable: boolean;
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

  emit(chunk: Uint8Array): Uint8Array {
    this.#hash.update(chunk);
    this.storedBytes += chunk.byteLength;
    return chunk;
  }

  sha256(): string {
    return this.#hash.digest("hex");
  }
}

/** Streams one file into the bundle: bounded, redacted, hashed; its name is left to be synced. A binary file that holds a secret is withheld. */
export async function importFile(file: FileImport, tools: Tools): Promise<StoredFile> {
  const { source, to, below } = file;
  const { isExecutable } = source;
  const passage = new Passage();
  const options = { isExecutable, isNameDurable: false, below };
  await tools.files.writeNew(to, cleanChunks(file, tools.redactor, passage), options);
  const { isBinary, isTruncated, redactions } = passage;
  if (isBinary && redactions > 0) return await withhold(file, passage, tools.files);
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

/** What comes of the first `maxBytes` of a file; a secret that reaches beyond them is seen whole. */
async function* cleanChunks(
  { source, maxBytes }: FileImport,
  redactor: Redactor,
  passage: Passage,
): AsyncGenerator<Uint8Array> {
  const stream = redactor.stream();
  const limit = maxBytes + stream.lookahead;
  let last = nothing;
  for await (const chunk of source.readChunks()) {
    const room = Math.max(0, limit - passage.readBytes);
    passage.isBinary ||= chunk.includes(0);
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
  passage.redactions = stream.count;
}

/** Removing bytes from a binary file would break it without a word, so a note takes its place. */
async function withhold(
  { to, below }: Pick<FileImport, "to" | "below">,
  { readBytes, isTruncated, redactions }: Passage,
  files: FileStore,
): Promise<StoredFile> {
  const size = `${isTruncated ? "more than " : ""}${readBytes} bytes`;
  const note = `Withheld by Assay: a binary file of ${size} that held a secret.\n`;
  await files.writeAtomic(to, note, { below });
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
