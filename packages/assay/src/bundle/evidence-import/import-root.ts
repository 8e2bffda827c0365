import path from "node:path";

import type { EvidenceFile } from "../../schema/evidence-file.ts";

/** What became of a file when it was imported before. */
export type EarlierImport = Pick<EvidenceFile, "redactions" | "isTruncated" | "isWithheld">;

/** A directory whose files may be imported as evidence. */
export interface ImportRoot {
  readonly dir: string;
  /** A bundle knows what its files lack: by path relative to it, for those that lack something. */
  readonly earlier?: ReadonlyMap<string, EarlierImport>;
}

export function earlierImport({ dir, earlier }: ImportRoot, file: string): EarlierImport | null {
  const relative = path.relative(dir, file).split(path.sep).join("/");
  return earlier?.get(relative) ?? null;
}
