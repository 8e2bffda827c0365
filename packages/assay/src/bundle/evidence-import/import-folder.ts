import path from "node:path";

import type { WalkEntry } from "../../contracts/files.ts";
import { innerLink } from "../../support/inner-link.ts";
import { sortKeys } from "../../support/json.ts";
import {
  type EvidenceStore,
  type ImportTools,
  type WhyOmitted,
  whyOmitted,
} from "./evidence-store.ts";
import { FileJobs } from "./file-jobs.ts";
import { earlierImport, type ImportRoot, isProgram } from "./import-root.ts";
import { type IsOfAgent, settingsFormOf } from "./settings-files.ts";
import { StoredNames } from "./stored-names.ts";

export interface FolderImport {
  /** Absolute. */
  readonly from: string;
  /** Above it: no link is followed on the way from there. */
  readonly root: ImportRoot;
  /** Relative to the bundle. */
  readonly to: string;
  readonly isOfAgent: IsOfAgent;
  /** Told of each entry that was stored: its absolute path, and where it is in the bundle. */
  readonly onStored?: (from: string, to: string) => void;
}

/** What was left out: how many by reason. */
export type Omissions = Readonly<Record<string, number>>;

/** Imports a folder in one walk. Links that cannot lead out of it are kept as links; none is followed. */
export async function importFolder(
  folder: FolderImport,
  store: EvidenceStore,
  tools: ImportTools,
): Promise<Omissions> {
  return await new FolderWalk(folder, store, tools).run();
}

class FolderWalk {
  readonly #folder: FolderImport;
  readonly #store: EvidenceStore;
  readonly #tools: ImportTools;
  readonly #names: StoredNames;
  readonly #jobs = new FileJobs();
  readonly #omitted: Record<string, number> = {};

  constructor(folder: FolderImport, store: EvidenceStore, tools: ImportTools) {
    this.#folder = folder;
    this.#store = store;
    this.#tools = tools;
    this.#names = new StoredNames(folder.to, tools.redactor);
  }

  async run(): Promise<Omissions> {
    this.#omit(await this.#store.addFolder(this.#folder.to));
    await this.#unlessUnreadable(() => this.#walk()).finally(() => this.#jobs.end());
    this.#jobs.throwFailure();
    return sortKeys(this.#omitted) as Omissions;
  }

  async #walk(): Promise<void> {
    const { from, root } = this.#folder;
    const { files, limits } = this.#tools;
    let visited = 0;
    const walk = files.walk(from, {
      below: root.dir,
      maxDepth: limits.depth,
      onUnreadable: () => this.#omit("unreadable"),
    });
    for await (const entry of walk) {
      visited += 1;
      if (visited > limits.visitedEntries) {
        this.#omit("not_visited");
        return;
      }
      await this.#unlessUnreadable(() => this.#importEntry(entry));
    }
  }

  #note(at: string, to: string, why: WhyOmitted): void {
    if (why === null) this.#folder.onStored?.(at, to);
    else this.#omit(why);
  }

  #omit(why: WhyOmitted): void {
    if (why !== null) this.#omitted[why] = (this.#omitted[why] ?? 0) + 1;
  }

  /** What cannot be read is left out; what cannot be written ends the import. */
  async #unlessUnreadable(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      const why = whyOmitted(thrown);
      if (why === null) throw thrown;
      this.#omit(why);
    }
  }

  async #importEntry(entry: WalkEntry): Promise<void> {
    const to = this.#names.pathOf(entry);
    if (to === null) this.#omit("in_omitted_folder");
    else if (entry.kind === "file") await this.#importFile(entry, to);
    else if (entry.kind === "directory") await this.#importDirectory(entry, to);
    else if (entry.kind === "link") await this.#importLink(entry, to);
    else this.#omit("special_file");
  }

  /** Opened before the walk goes on, and stored beside it: a file waits for the disk most of its time. */
  async #importFile(entry: WalkEntry, to: string): Promise<void> {
    const { from, root } = this.#folder;
    const { sizeBytes } = entry;
    const at = path.join(from, entry.path);
    const isExecutable = isProgram(root, at, entry.isExecutable);
    const file = await entry.open();
    const form = settingsFormOf(entry.path);
    const source = {
      ...{ name: to, sizeBytes, isExecutable },
      form: form === null || this.#folder.isOfAgent(at) ? null : form,
      readChunks: () => file.readChunks(),
    };
    const earlier = earlierImport(root, at);
    const stored = this.#store
      .addFile(source, to, earlier)
      .then((why) => this.#note(at, to, why))
      .finally(() => file.close());
    await this.#jobs.add(stored);
  }

  async #importDirectory(entry: WalkEntry, to: string): Promise<void> {
    const why = await this.#store.addFolder(to);
    if (why !== null) this.#names.leaveOut(entry);
    const isEntered = entry.path.split("/").length < this.#tools.limits.depth;
    this.#note(path.join(this.#folder.from, entry.path), to, why);
    if (why === null && !isEntered) this.#omit("too_deep");
  }

  /** A text with a secret in it leads nowhere once it is redacted: such a link is left out. */
  async #importLink(entry: WalkEntry, to: string): Promise<void> {
    const depth = entry.path.split("/").length - 1;
    const target = await entry.linkTarget();
    const link = target === null ? null : innerLink(target, depth);
    if (target === null || link === null || !this.#names.areClean([target, ...link.names])) {
      this.#omit("link");
      return;
    }
    this.#omit(await this.#store.addLink(target, to));
  }
}
