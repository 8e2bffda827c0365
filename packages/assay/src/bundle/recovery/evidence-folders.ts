import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { sha256Hex } from "../../support/digest.ts";
import { evidenceFolder } from "../layout.ts";
import type { Place } from "./trial-book.ts";

/** Paths, a number for each, so that two may look the same. */
export class PathSet {
  readonly #hashes = new Set<number>();

  /** False when it was there already. */
  add(path: string): boolean {
    const { size } = this.#hashes;
    return this.#hashes.add(hash(path)).size > size;
  }

  has(path: string): boolean {
    return this.#hashes.has(hash(path));
  }
}

/**
 * Which folders are of which trials, and which files below them have a row. Of two folders that look the same one too many
 * is kept.
 */
export class EvidenceFolders {
  readonly #owners = new Map<number, Place>();
  readonly #named = new PathSet();

  /** A file of a trial that has a row; false when it had one already. */
  addFile(file: string, place: Place): boolean {
    this.#owners.set(hash(folderOf(file)), place);
    return this.#named.add(file);
  }

  /** The folders that the evidence of a trial names: one may hold no file. */
  use({ evidence }: TrialRecord, place: Place): void {
    for (const { ref } of Object.values(evidence?.descriptors ?? {}))
      if (ref?.startsWith(`${evidenceFolder}/`) === true)
        this.#owners.set(hash(folderOf(ref)), place);
  }

  /** What these trials had left is not in use any more. */
  drop(places: ReadonlySet<Place>): void {
    for (const [folder, place] of this.#owners) if (places.has(place)) this.#owners.delete(folder);
  }

  has(folder: string): boolean {
    return this.#owners.has(hash(folder));
  }

  /** Whose file this is; null when it has its row, or is of no trial that counts. */
  ownerOfUnnamed(file: string): Place | null {
    if (this.#named.has(file)) return null;
    return this.#owners.get(hash(folderOf(file))) ?? null;
  }
}

/** The files of trials whose rows are not there. */
export async function* unnamedFiles(
  dir: string,
  folders: EvidenceFolders,
  files: FileStore,
): AsyncGenerator<{ readonly file: string; readonly place: Place }> {
  const root = path.join(dir, evidenceFolder);
  if ((await files.stat(root))?.kind !== "directory") return;
  for await (const { path: name, kind } of files.walk(root)) {
    if (kind === "directory") continue;
    const file = `${evidenceFolder}/${name}`;
    const place = folders.ownerOfUnnamed(file);
    if (place !== null) yield { file, place };
  }
}

/** Takes away what trials left that never got a row. */
export async function removeUnusedFolders(
  dir: string,
  used: EvidenceFolders,
  files: FileStore,
): Promise<void> {
  const root = path.join(dir, evidenceFolder);
  for (const task of await foldersIn(root, files)) {
    for (const trial of await foldersIn(path.join(root, task), files)) {
      const folder = `${evidenceFolder}/${task}/${trial}`;
      if (!used.has(folder)) await files.remove(path.join(dir, folder));
    }
  }
}

async function foldersIn(dir: string, files: FileStore): Promise<readonly string[]> {
  return (await files.stat(dir))?.kind === "directory" ? await files.list(dir) : [];
}

/** `evidence/<task>/<trial>` of a path below it. */
function folderOf(file: string): string {
  return file.split("/").slice(0, 3).join("/");
}

/** 48 bits of a digest. */
function hash(text: string): number {
  return Number.parseInt(sha256Hex(text).slice(0, 12), 16);
}
