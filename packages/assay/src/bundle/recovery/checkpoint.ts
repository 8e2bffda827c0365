import { createHash } from "node:crypto";
import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { type JournalStarts, journalStreams } from "../journal.ts";
import { bundleFiles } from "../layout.ts";
import type { Checkpoint } from "../manifest.ts";

/** What the appended files hold when a resumed run begins. */
export function checkpointOf(starts: JournalStarts): Checkpoint {
  const entries = journalStreams.map((stream) => {
    const { keptBytes, hash } = starts[stream];
    return [bundleFiles[stream], { bytes: keptBytes, sha256: hash.copy().digest("hex") }] as const;
  });
  return Object.fromEntries(entries);
}

/** Throws `ASSAY_BUNDLE_DAMAGED` when a file does not begin any more as an earlier start of the run had found it. */
export async function checkCheckpoint(
  dir: string,
  checkpoint: Checkpoint,
  files: FileStore,
): Promise<void> {
  for (const stream of journalStreams) {
    const file = bundleFiles[stream];
    const expected = checkpoint[file];
    if (expected === undefined) continue;
    const found = await sha256OfStart(path.join(dir, file), expected.bytes, files);
    if (found !== expected.sha256) throw altered(dir, file);
  }
}

async function sha256OfStart(file: string, bytes: number, files: FileStore): Promise<string> {
  const hash = createHash("sha256");
  let left = bytes;
  if ((await files.stat(file)) === null) return hash.digest("hex");
  for await (const chunk of files.readChunks(file)) {
    hash.update(chunk.subarray(0, left));
    left -= Math.min(left, chunk.length);
    if (left === 0) break;
  }
  return hash.digest("hex");
}

function altered(dir: string, file: string): AssayError {
  return new AssayError(
    "ASSAY_BUNDLE_DAMAGED",
    `"${file}" of the run directory "${dir}" was altered since the run was last resumed`,
    { data: { path: dir, file }, remedy: "Get the run directory back as it was, then resume." },
  );
}
