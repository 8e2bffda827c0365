import type { WalkEntry } from "../../contracts/files.ts";
import type { Redactor } from "../../contracts/redactor.ts";
import { sha256Hex } from "../../support/digest.ts";
import { FreeNames } from "../../support/free-names.ts";

const maxNameBytes = 255;
const replaced = "<redacted>";

/** Names of evidence as they are stored: without secrets, each a name of its own, none longer than file systems take. */
export class StoredNames {
  readonly #redactor: Redactor;
  readonly #names = new FreeNames();
  /** Where the folders lie in which the walk is, from the root down. Null for one that was left out. */
  readonly #folders: (string | null)[];

  constructor(root: string, redactor: Redactor) {
    this.#redactor = redactor;
    this.#folders = [root];
  }

  /** Where an entry of a depth-first walk goes; null when its folder was left out. */
  pathOf({ path, kind }: Pick<WalkEntry, "path" | "kind">): string | null {
    const segments = path.split("/");
    const depth = segments.length - 1;
    const folder = this.#folders[depth] ?? null;
    const at = folder === null ? null : this.#free(folder, segments[depth] ?? "");
    if (kind === "directory") this.#folders[depth + 1] = at;
    return at;
  }

  /** Nothing below the folder that was met last is stored. */
  leaveOut({ path }: Pick<WalkEntry, "path">): void {
    this.#folders[path.split("/").length] = null;
  }

  #free(folder: string, name: string): string {
    const clean = this.#clean(name);
    const spelt = `${folder}/${clean}`;
    // A secret with a slash in it may be spelt by folder and name together.
    const base = this.#redactor.text(spelt) === spelt ? clean : replaced;
    return this.#names.take(`${folder}/${base}`);
  }

  /** True when nothing in these texts has to be taken out. */
  areClean(texts: readonly string[]): boolean {
    return texts.every((text) => this.#redactor.text(text) === text);
  }

  #clean(name: string): string {
    const clean = this.#redactor.text(name);
    if (Buffer.byteLength(clean) <= maxNameBytes) return clean;
    const digest = sha256Hex(clean).slice(0, 12);
    return `${Buffer.from(clean).subarray(0, 200).toString("utf8").replaceAll("\uFFFD", "")}-${digest}`;
  }
}
