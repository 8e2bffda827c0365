import path from "node:path";

import type { FileStore, OpenFile, WalkEntry } from "../../contracts/files.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import type { EvidenceFile } from "../../schema/evidence-file.ts";
import { sha256Hex, sha256HexOf } from "../../support/digest.ts";
import { kindNames } from "../entry-kinds.ts";
import { FileJobs } from "../evidence-import/file-jobs.ts";
import { evidenceFolder } from "../layout.ts";
import { type FileDamage, sha256Text } from "./file-damage.ts";

export interface EvidencePlace {
  /** The bundle's directory. */
  readonly dir: string;
  readonly files: FileStore;
}

/**
 * Compares every file and link below `evidence/` with the rows of evidence.jsonl, in one walk that follows no link.
 * A file of another size is not read. Empty folders have no rows, so they are not compared.
 */
export async function evidenceDamages(
  rows: AsyncIterable<EvidenceFile>,
  { dir, files }: EvidencePlace,
): Promise<readonly FileDamage[]> {
  const expected = new Map<string, EvidenceFile>();
  for await (const row of rows) expected.set(row.path, row);
  const walk = new EvidenceWalk(expected);
  await walk.run(path.join(dir, evidenceFolder), files);
  const missing = [...expected.values()].map((row) => damageOf(row, null));
  return [...walk.damages, ...missing].sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Evidence is at most 100 folders deep, below the folders of its trial. */
const maxDepth = 120;
const linkType = "inode/symlink";

class EvidenceWalk {
  readonly damages: FileDamage[] = [];
  /** Those that were not met yet. */
  readonly #expected: Map<string, EvidenceFile>;
  readonly #jobs = new FileJobs();

  constructor(expected: Map<string, EvidenceFile>) {
    this.#expected = expected;
  }

  async run(root: string, files: FileStore): Promise<void> {
    const facts = await files.stat(root);
    if (facts === null) return;
    if (facts.kind !== "directory") {
      const [expected, found] = [aKind("directory"), aKind(facts.kind)];
      this.damages.push({ path: evidenceFolder, expected, found });
      return;
    }
    const onUnreadable = (at: string) =>
      this.damages.push({ path: `${evidenceFolder}/${at}`, expected: null, found: "unreadable" });
    try {
      for await (const entry of files.walk(root, { maxDepth, onUnreadable }))
        await this.#meet(entry);
    } finally {
      await this.#jobs.end();
    }
    this.#jobs.throwFailure();
  }

  async #meet(entry: WalkEntry): Promise<void> {
    const { kind, sizeBytes } = entry;
    const at = `${evidenceFolder}/${entry.path}`;
    if (kind === "directory") {
      const isTooDeep = entry.path.split("/").length >= maxDepth;
      if (isTooDeep)
        this.damages.push({ path: at, expected: null, found: "deeper than any evidence" });
      return;
    }
    const row = this.#expected.get(at);
    this.#expected.delete(at);
    if (row === undefined) this.damages.push({ path: at, expected: null, found: aKind(kind) });
    else if (kind !== (row.mediaType === linkType ? "link" : "file"))
      this.damages.push(damageOf(row, aKind(kind)));
    else if (kind === "link") this.#compare(row, sha256Hex((await entry.linkTarget()) ?? ""));
    else if (sizeBytes !== row.sizeBytes) this.damages.push(damageOf(row, `${sizeBytes} bytes`));
    else await this.#hash(entry, row);
  }

  /** Opened before the walk goes on, and read beside it. */
  async #hash(entry: WalkEntry, row: EvidenceFile): Promise<void> {
    try {
      const file = await entry.open();
      await this.#jobs.add(digestOf(file).then((sha256) => this.#compare(row, sha256)));
    } catch (thrown) {
      if (!AssayError.isInstance(thrown)) throw thrown;
      this.damages.push(damageOf(row, `nothing that can be read: ${messageOf(thrown)}`));
    }
  }

  #compare(row: EvidenceFile, sha256: string): void {
    if (sha256 !== row.sha256) this.damages.push(damageOf(row, sha256Text(sha256)));
  }
}

function aKind(kind: WalkEntry["kind"]): string {
  return `a ${kindNames[kind]}`;
}

function damageOf(row: EvidenceFile, found: string | null): FileDamage {
  return { path: row.path, expected: `${sha256Text(row.sha256)} (${row.sizeBytes} bytes)`, found };
}

async function digestOf(file: OpenFile): Promise<string> {
  try {
    return await sha256HexOf(file.readChunks());
  } finally {
    await file.close();
  }
}
