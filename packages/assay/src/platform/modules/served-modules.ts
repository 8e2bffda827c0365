import { readFileSync } from "node:fs";
import path from "node:path";

import type { ModuleObserver, ModuleSite } from "../../contracts/modules.ts";

/** Each module file that Node evaluated since somebody observes, with its bytes: it evaluates a file only once. */
export class ServedModules {
  readonly #bytes = new Map<string, Uint8Array>();
  readonly #importers = new Map<string, string | null>();
  #observers: WeakRef<ModuleObserver>[] = [];

  observe(observer: ModuleObserver): void {
    this.#observers.push(new WeakRef(observer));
  }

  /** A file was asked for. Whether it will be evaluated now is not known yet. */
  resolved({ file, importer }: ModuleSite): void {
    if (!path.isAbsolute(file)) return;
    this.#importers.set(file, importer);
    const bytes = this.#bytes.get(file);
    if (bytes !== undefined) this.#tell({ file, importer }, bytes);
  }

  /** What is to be evaluated for a file that is read now. */
  serve(file: string): Uint8Array {
    const site = { file, importer: this.#importers.get(file) ?? null };
    const bytes = this.#recorded(site) ?? readFileSync(file);
    this.#bytes.set(file, bytes);
    this.#tell(site, bytes);
    return bytes;
  }

  /** The latest observer first. */
  #recorded(site: ModuleSite): Uint8Array | null {
    for (const observer of this.#live().reverse()) {
      const bytes = observer.recorded(site);
      if (bytes !== null) return bytes;
    }
    return null;
  }

  #tell(site: ModuleSite, bytes: Uint8Array): void {
    for (const observer of this.#live()) observer.served(site, bytes);
  }

  #live(): ModuleObserver[] {
    this.#observers = this.#observers.filter((reference) => reference.deref() !== undefined);
    return this.#observers.flatMap((reference) => reference.deref() ?? []);
  }
}
