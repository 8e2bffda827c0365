import path from "node:path";
import { fileURLToPath } from "node:url";

import type { FileStore } from "../contracts/files.ts";
import { messageOf } from "../errors/assay-error.ts";
import type { Fact } from "../schema/fact.ts";
import { digestOf, sha256Hex } from "../support/digest.ts";

/** The folder that this code runs from. */
const installed = fileURLToPath(new URL("..", import.meta.url));
const program = /(?<!\.test|\.d)\.[jt]s$/;
const concurrentReads = 16;

let known: Promise<Fact<string>> | null = null;

/** Digest of Assay's own program files, as they are installed; read once in a process. */
export function assayIntegrity(files: FileStore): Promise<Fact<string>> {
  known ??= integrityOf(installed, files);
  return known;
}

/** Digest of the program files below a folder, by their relative paths. */
export async function integrityOf(root: string, files: FileStore): Promise<Fact<string>> {
  try {
    const names = await programsBelow(root, "", files);
    const digests: Record<string, string> = {};
    const reading = names.values();
    const read = async () => {
      for (const name of reading)
        digests[`file:${name}`] = sha256Hex(await files.readBytes(path.join(root, name)));
    };
    await Promise.all(Array.from({ length: concurrentReads }, read));
    return digestOf("package", digests);
  } catch (thrown) {
    return { unknown: `Assay's own files cannot be read: ${messageOf(thrown)}` };
  }
}

/** Folders are the names without an extension: to ask the system for each entry would take longer than to read them. */
async function programsBelow(root: string, folder: string, files: FileStore): Promise<string[]> {
  const names = await files.list(path.join(root, folder));
  const inner = names.filter((name) => !name.includes(".")).map((name) => `${folder}${name}/`);
  const own = names.filter((name) => program.test(name)).map((name) => folder + name);
  const below = await Promise.all(inner.map((name) => programsBelow(root, name, files)));
  return [...own, ...below.flat()];
}
