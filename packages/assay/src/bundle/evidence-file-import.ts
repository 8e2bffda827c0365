import { createHash } from "node:crypto";
import path from "node:path";

import type { FileStore } from "../contracts/files.ts";
import type { Redactor } from "../contracts/redactor.ts";
import type { EvidenceFile } from "../schema/evidence-file.ts";
import { mediaTypeOf } from "./media-type.ts";

export interface FileImport {
  readonly from: string;
  readonly to: string;
  readonly maxBytes: number;
}

interface Tools {
  readonly files: FileStore;
  readonly redactor: Redactor;
}

type StoredFile = Omit<EvidenceFile, "path" | "taskId" | "trialId">;

/** What passed through the door, measured while it passed. */
interface Passage {
  readonly hash: ReturnType<typeof createHash>;
  sizeBytes: number;
  redactions: number;
  isTruncated: boolean;
  isBinary: boolean;
}

/** Streams one file into the bundle: bounded, redacted, hashed. A binary file that holds a secret is withheld. */
export async function importFile(file: FileImport, tools: Tools): Promise<StoredFile> {
  const passage = newPassage();
  await tools.files.writeNew(file.to, redacted(file, tools, passage));
  if (passage.isBinary && passage.redactions > 0) return await withhold(file, tools, passage);
  return {
    sizeBytes: passage.sizeBytes,
    sha256: passage.hash.digest("hex"),
    mediaType: mediaTypeOf(path.basename(file.from), passage.isBinary),
    redactions: passage.redactions,
    isTruncated: passage.isTruncated,
    isWithheld: false,
  };
}

function newPassage(): Passage {
  return {
    hash: createHash("sha256"),
    sizeBytes: 0,
    redactions: 0,
    isTruncated: false,
    isBinary: false,
  };
}

async function* redacted(
  file: FileImport,
  { files, redactor }: Tools,
  passage: Passage,
): AsyncGenerator<Uint8Array> {
  const stream = redactor.stream();
  const emit = (chunk: Uint8Array) => {
    passage.hash.update(chunk);
    passage.sizeBytes += chunk.byteLength;
    return chunk;
  };
  let readBytes = 0;
  for await (const chunk of files.readChunks(file.from)) {
    if (readBytes < 8192 && chunk.subarray(0, 8192 - readBytes).includes(0))
      passage.isBinary = true;
    const room = file.maxBytes - readBytes;
    readBytes += chunk.byteLength;
    yield emit(stream.push(chunk.subarray(0, Math.max(0, room))));
    if (readBytes > file.maxBytes) {
      passage.isTruncated = true;
      break;
    }
  }
  yield emit(stream.end());
  passage.redactions = stream.count;
}

/** Removing bytes from a binary file would break it without a word, so a note takes its place. */
async function withhold(
  { to }: FileImport,
  { files }: Tools,
  passage: Passage,
): Promise<StoredFile> {
  const note = `Withheld by Assay: a binary file of ${passage.sizeBytes} bytes that held a secret.\n`;
  await files.writeAtomic(to, note);
  return {
    sizeBytes: Buffer.byteLength(note),
    sha256: createHash("sha256").update(note).digest("hex"),
    mediaType: "text/plain",
    redactions: passage.redactions,
    isTruncated: false,
    isWithheld: true,
  };
}
