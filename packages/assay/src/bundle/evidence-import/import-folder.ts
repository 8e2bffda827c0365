import path from "node:path";

import type { WalkEntry } from "../../contracts/files.ts";
import { innerLink } from "../../support/inner-link.ts";
import {
  type EvidenceStore,
  type ImportTools,
  type WhyOmitted,
  whyOmitted,
} from "./evidence-store.ts";
import { type EarlierImport, earlierImport, type ImportRoot } from "./import-root.ts";
import { StoredNames } from "./stored-names.ts";

export interface FolderImport {
  /** Absolute. */
  readonly from: string;
  /** Above it: no link is followed on the way from there. */
  readonly root: ImportRoot;
  /** Relative to the bundle. */
  readonly to: string;
}

/** What was left out: how many by reason. */
export type Omissions = Readonly<Record<string, number>>;

/** Imports a folder in one walk. Links that cannot lead out of it are kept as links; none is followed. */
export async function importFolder(
  { from, root, to }: FolderImport,
  store: EvidenceStore,
  tools: ImportTools,
): Promise<Omissions> {
  const { files, redactor, limits } = tools;
  const omitted: Record<string, number> = {};
  const omit = (why: WhyOmitted) => {
    if (why !== null) omitted[why] = (omitted[why] ?? 0) + 1;
  };
  const names = new StoredNames(to, redactor);
  omit(await store.addFolder(to));
  const earlierOf = (entry: WalkEntry) => earlierImport(root, path.join(from, entry.path));
  let visited = 0;
  const walk = files.walk(from, {
    below: root.dir,
    maxDepth: limits.depth,
    onUnreadable: () => omit("unreadable"),
  });
  try {
    for await (const entry of walk) {
      visited += 1;
      if (visited > limits.visitedEntries) {
        omit("not_visited");
        break;
      }
      omit(await importEntry(entry, { names, store, limits, earlierOf }));
    }
  } catch (thrown) {
    const why = whyOmitted(thrown);
    if (why === null) throw thrown;
    omit(why);
  }
  return omitted;
}

interface Destination {
  readonly names: StoredNames;
  readonly store: EvidenceStore;
  readonly limits: ImportTools["limits"];
  readonly earlierOf: (entry: WalkEntry) => EarlierImport | null;
}

async function importEntry(
  entry: WalkEntry,
  { names, store, limits, earlierOf }: Destination,
): Promise<WhyOmitted> {
  const to = names.pathOf(entry);
  if (to === null) return "in_omitted_folder";
  switch (entry.kind) {
    case "file": {
      const { isExecutable } = entry;
      const source = { name: to, isExecutable, readChunks: () => entry.readChunks() };
      return await store.addFile(source, to, earlierOf(entry));
    }
    case "directory": {
      const why = await store.addFolder(to);
      if (why !== null) names.leaveOut(entry);
      const isEntered = entry.path.split("/").length < limits.depth;
      return why ?? (isEntered ? null : "too_deep");
    }
    case "link":
      return await importLink(entry, to, { names, store });
    case "other":
      return "special_file";
  }
}

async function importLink(
  entry: WalkEntry,
  to: string,
  { names, store }: Pick<Destination, "names" | "store">,
): Promise<WhyOmitted> {
  const depth = entry.path.split("/").length - 1;
  const target = await entry.linkTarget();
  const link = target === null ? null : innerLink(target, depth);
  if (target === null || link === null) return "link";
  const cleanNames = link.names.map((name) => names.clean(name));
  const isClean = cleanNames.every((name, index) => name === link.names[index]);
  const steps = [...Array<string>(link.upward).fill(".."), ...cleanNames];
  return await store.addLink(isClean ? target : steps.join("/"), to);
}
