import path from "node:path";

import type { FileStore, WalkEntry } from "../../contracts/files.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { claimFile } from "../claim.ts";
import { kindNames } from "../entry-kinds.ts";
import { evidenceFolder, reportFiles, runEntries } from "../layout.ts";
import type { Problems } from "./problems.ts";

/** Each has to name the digest of the bundle that it was made from. */
const derived: ReadonlySet<string> = new Set(reportFiles);
/** Those of Assay, which are checked on their own, and the claim that a killed process left. */
const known: ReadonlySet<string> = new Set([...runEntries, claimFile]);

export interface DirectoryPlace {
  readonly dir: string;
  readonly files: FileStore;
  readonly problems: Problems;
}

/** Names what lies in the bundle's directory and is named by no record. What is below `evidence/` is not looked at. */
export async function checkDirectory(
  { dir, files, problems }: DirectoryPlace,
  digest: string,
): Promise<void> {
  const onUnreadable = () => {};
  for await (const entry of files.walk(dir, { maxDepth: 1, onUnreadable })) {
    const name = entry.path;
    if (known.has(name)) {
      if (name !== evidenceFolder && entry.kind !== "file")
        problems.add(name, "malformed", `it is a ${kindNames[entry.kind]}, not a file`);
    } else if (derived.has(name) && entry.kind === "file")
      await checkDerived(entry, digest, problems);
    else problems.add(name, "added", `no record names this ${kindNames[entry.kind]}`);
  }
}

async function checkDerived(entry: WalkEntry, digest: string, problems: Problems): Promise<void> {
  try {
    if (await holdsText(entry, digest)) return;
    problems.add(entry.path, "disagrees", `it does not name ${digest}, so it is of another bundle`);
  } catch (thrown) {
    if (!AssayError.isInstance(thrown)) throw thrown;
    problems.add(entry.path, "malformed", messageOf(thrown));
  }
}

/** A larger one is none that anybody opens. */
const maxDerivedBytes = 512 * 1024 * 1024;

async function holdsText(entry: WalkEntry, text: string): Promise<boolean> {
  if (entry.sizeBytes > maxDerivedBytes) return false;
  const wanted = Buffer.from(text);
  const file = await entry.open();
  try {
    let rest = Buffer.alloc(0);
    for await (const chunk of file.readChunks()) {
      const bytes = Buffer.concat([rest, chunk]);
      if (bytes.includes(wanted)) return true;
      rest = bytes.subarray(Math.max(0, bytes.length - wanted.length + 1));
    }
    return false;
  } finally {
    await file.close();
  }
}

/** The bytes of a file of the bundle, or null when it is not there. */
export async function bytesIfThere(
  dir: string,
  name: string,
  files: FileStore,
  maxBytes: number,
): Promise<Uint8Array | null> {
  const file = path.join(dir, name);
  return (await files.stat(file)) === null ? null : await files.readRegular(file, { maxBytes });
}
