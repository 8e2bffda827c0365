import path from "node:path";

import type { EvidenceFile } from "../../schema/evidence-file.ts";

/** What became of a file when it was imported before. */
export type EarlierImport = Pick<EvidenceFile, "redactions" | "isTruncated" | "isWithheld">;

/** A directory whose files may be imported as evidence. */
export interface ImportRoot {
  readonly dir: string;
  /** A bundle knows what its files lack: by path relative to it, for those that lack something. */
  readonly earlier?: ReadonlyMap<string, EarlierImport>;
  /** A bundle knows which of its files are programs, whatever became of their rights on the way: all others are none. */
  readonly executables?: ReadonlySet<string>;
}

export function earlierImport({ dir, earlier }: ImportRoot, file: string): EarlierImport | null {
  return earlier?.get(relativePath(dir, file)) ?? null;
}

/** `isExecutable` is what the file system says. */
export function isProgram(
  { dir, executables }: ImportRoot,
  file: string,
  isExecutable: boolean,
): boolean {
  return executables?.has(relativePath(dir, file)) ?? isExecutable;
}

function relativePath(dir: string, file: string): string {
  return path.relative(dir, file).split(path.sep).join("/");
}
