import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { sha256Hex } from "../../support/digest.ts";
import { evidenceFolder } from "../layout.ts";

/** Which folders of trials are in use: a number per folder, so that two may look the same; then one too many is kept. */
export class EvidenceFolders {
  readonly #used = new Set<number>();

  /** The folder of a file of evidence. */
  add(file: string): void {
    this.#used.add(hash(folderOf(file)));
  }

  delete(file: string): void {
    this.#used.delete(hash(folderOf(file)));
  }

  /** The folders that the evidence of a trial names: one may hold no file. */
  use({ evidence }: TrialRecord): void {
    for (const { ref } of Object.values(evidence?.descriptors ?? {}))
      if (ref?.startsWith(`${evidenceFolder}/`) === true) this.add(ref);
  }

  has(folder: string): boolean {
    return this.#used.has(hash(folder));
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
