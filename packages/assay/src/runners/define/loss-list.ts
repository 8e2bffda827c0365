import path from "node:path";

import type { FileFacts, FileStore, WalkEntry } from "../../contracts/files.ts";
import type { ImportLoss } from "../../contracts/importer.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { innerLink } from "../../support/inner-link.ts";

/** What has no place in a bundle, counted by its reason, with the first place of each. */
export class LossList {
  readonly #byReason = new Map<string, { readonly field: string; count: number }>();

  add(field: string, reason: string, count = 1): void {
    const known = this.#byReason.get(reason);
    if (known === undefined) this.#byReason.set(reason, { field, count });
    else known.count += count;
  }

  addAll(others: LossList): void {
    for (const [reason, { field, count }] of others.#byReason) this.add(field, reason, count);
  }

  list(): ImportLoss[] {
    return [...this.#byReason].map(([reason, { field, count }]) => ({
      field: count === 1 ? field : `${field} and others`,
      reason,
      count,
    }));
  }
}

/** Why what lies in the place of a file or folder is not read; null for a file or folder. */
export function unreadReason(kind: FileFacts["kind"]): string | null {
  if (kind === "link") return "a link, which is not followed";
  return kind === "other" ? "no ordinary file, which is not read" : null;
}

/** Why a file could not be read, of what reading it threw. What is no fault of the file is thrown again. */
export function unreadableReason(thrown: unknown): string {
  if (!AssayError.isInstance(thrown) || thrown.code !== "ASSAY_FILE_UNREADABLE") throw thrown;
  const code = String(thrown.data["systemCode"]);
  return code === "EFBIG"
    ? "larger than any file of its kind, or than any line of one"
    : `it cannot be read (${code})`;
}

interface TakenFolder {
  readonly folder: string;
  /** As it is called in what is imported. */
  readonly name: string;
}

/** Notes what is left out of a folder that is taken as evidence: special files, and links that may lead out of it. */
export async function noteUnreadBelow(
  { folder, name }: TakenFolder,
  losses: LossList,
  { files, signal }: { readonly files: Pick<FileStore, "walk">; readonly signal: AbortSignal },
): Promise<void> {
  for await (const entry of files.walk(folder, { onUnreadable: () => {} })) {
    signal.throwIfAborted();
    const reason = unreadReason(entry.kind);
    if (reason === null || (entry.kind === "link" && (await isInner(entry)))) continue;
    losses.add(path.posix.join(name, entry.path), reason);
  }
}

async function isInner(link: WalkEntry): Promise<boolean> {
  const target = await link.linkTarget();
  return target !== null && innerLink(target, link.path.split("/").length - 1) !== null;
}
