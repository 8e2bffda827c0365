import { fileURLToPath } from "node:url";

import { describeThrown } from "../errors/assay-error.ts";
import { digestProgramFiles } from "../platform/program-files.ts";
import type { Fact } from "../schema/fact.ts";
import { digestOf } from "../support/digest.ts";

/** The folder that this code runs from. */
const installed = fileURLToPath(new URL("..", import.meta.url));

let known: Fact<string> | null = null;

/** Digest of Assay's own program files, as they are installed; read once in a process. */
export function assayIntegrity(): Fact<string> {
  known ??= integrityOf(installed);
  return known;
}

/** Digest of the program files below a folder, by their relative paths. */
export function integrityOf(root: string): Fact<string> {
  try {
    return digestOf("package", digestProgramFiles(root));
  } catch (thrown) {
    return { unknown: `Assay's own files cannot be read: ${describeThrown(thrown)}` };
  }
}
