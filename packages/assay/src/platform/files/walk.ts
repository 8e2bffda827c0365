import { join } from "node:path";

import type { OpenFile, WalkEntry, WalkOptions } from "../../contracts/files.ts";
import { type EntryFacts, type EntryName, OpenDirectory, shownName } from "./open-directory.ts";
import { requireRegular } from "./open-file.ts";
import { chunksOf } from "./read-file.ts";
import { reading } from "./system-errors.ts";

/** Depth first, names in code-unit order, links reported and not followed. Entries that vanish meanwhile are left out. */
export async function* walk(root: string, options: WalkOptions = {}): AsyncGenerator<WalkEntry> {
  const { below } = options;
  const directory =
    below === undefined ? await OpenDirectory.open(root) : await OpenDirectory.below(below, root);
  yield* walkInto(directory, { prefix: "", depth: 1 }, options);
}

interface Level {
  readonly prefix: string;
  /** Of the entries. */
  readonly depth: number;
}

async function* walkInto(
  directory: OpenDirectory,
  { prefix, depth }: Level,
  options: WalkOptions,
): AsyncGenerator<WalkEntry> {
  const { maxDepth = Number.POSITIVE_INFINITY } = options;
  try {
    for (const name of await directory.names()) {
      const facts = await directory.facts(name);
      if (facts === null) continue;
      const path = `${prefix}${shownName(name)}`;
      yield new Entry(path, facts, { directory, name });
      if (facts.kind !== "directory" || depth >= maxDepth) continue;
      const inner = await enter(directory, name, path, options);
      if (inner !== null) yield* walkInto(inner, { prefix: `${path}/`, depth: depth + 1 }, options);
    }
  } finally {
    await directory.close();
  }
}

async function enter(
  directory: OpenDirectory,
  name: EntryName,
  path: string,
  { onUnreadable }: WalkOptions,
): Promise<OpenDirectory | null> {
  try {
    return await directory.openDirectory(name);
  } catch (thrown) {
    if (onUnreadable === undefined) throw thrown;
    onUnreadable(path);
    return null;
  }
}

class Entry implements WalkEntry {
  readonly path: string;
  readonly kind: WalkEntry["kind"];
  readonly sizeBytes: number;
  readonly isExecutable: boolean;
  readonly #directory: OpenDirectory;
  readonly #name: EntryName;

  constructor(
    path: string,
    { kind, sizeBytes, isExecutable }: EntryFacts,
    { directory, name }: { readonly directory: OpenDirectory; readonly name: EntryName },
  ) {
    this.path = path;
    this.kind = kind;
    this.sizeBytes = sizeBytes;
    this.isExecutable = isExecutable;
    this.#directory = directory;
    this.#name = name;
  }

  async open(): Promise<OpenFile> {
    const shown = join(this.#directory.path, shownName(this.#name));
    const handle = await this.#directory.openFile(this.#name);
    await reading(shown, () => requireRegular(handle));
    return { readChunks: () => chunksOf(handle, shown), close: () => handle.close() };
  }

  async linkTarget(): Promise<string | null> {
    return await this.#directory.linkTarget(this.#name);
  }
}
