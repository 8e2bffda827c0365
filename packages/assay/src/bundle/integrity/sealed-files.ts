import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import type { Manifest } from "../../schema/manifest.ts";
import { bytesOf } from "../decode-files.ts";
import type { RowWatch } from "../decode-rows.ts";
import { bundleFiles } from "../layout.ts";
import { unwatched } from "../row-files.ts";
import type { FileDamage } from "./file-damage.ts";
import { type Seal, sealOf, whyUnsealed } from "./seal.ts";
import { SubjectChecks } from "./subject-checks.ts";

interface OpenSeal {
  readonly seal: Seal;
  readonly checks: SubjectChecks;
}

/** The data files of a bundle beside its seal, which is read when it is first needed. Without a seal nothing is compared. */
export class SealedFiles {
  /** Why there is no seal; null when there is one. */
  readonly unsealedBecause: string | null;
  readonly #dir: string;
  readonly #manifest: Manifest;
  readonly #files: FileStore;
  #opened: Promise<OpenSeal> | null = null;

  constructor(dir: string, manifest: Manifest, files: FileStore) {
    this.unsealedBecause = whyUnsealed(manifest);
    this.#dir = dir;
    this.#manifest = manifest;
    this.#files = files;
  }

  async seal(): Promise<Seal | null> {
    return (await this.#open())?.seal ?? null;
  }

  /** Sees a file while it is read, and throws `ASSAY_BUNDLE_DAMAGED` at its end when it is not what was sealed. */
  async watch(name: string): Promise<RowWatch> {
    return (await this.#open())?.checks.watch(name) ?? unwatched;
  }

  /** The same for the whole content of a file. */
  async check(name: string, bytes: Uint8Array): Promise<void> {
    (await this.#open())?.checks.check(name, bytes);
  }

  /** Null without a seal. */
  async damages(): Promise<readonly FileDamage[] | null> {
    return (await (await this.#open())?.checks.damages()) ?? null;
  }

  async #open(): Promise<OpenSeal | null> {
    if (this.unsealedBecause !== null) return null;
    this.#opened ??= this.#read();
    return await this.#opened;
  }

  async #read(): Promise<OpenSeal> {
    const bytes = await bytesOf(path.join(this.#dir, bundleFiles.provenance), this.#files);
    const seal = sealOf(this.#dir, this.#manifest, bytes);
    return { seal, checks: new SubjectChecks(this.#dir, seal, this.#files) };
  }
}
