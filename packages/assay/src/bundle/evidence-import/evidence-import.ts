import path from "node:path";

import type { EvidenceDescriptor, EvidenceSet } from "../../schema/evidence.ts";
import { uniqueName } from "../../support/file-names.ts";
import { FreeNames } from "../../support/free-names.ts";
import { getOwn, type JsonObject, setOwn } from "../../support/json.ts";
import { isBelow } from "../../support/paths.ts";
import { placeOfRef } from "../ref-place.ts";
import { type EvidenceStore, type ImportTools, whyOmitted } from "./evidence-store.ts";
import { importFolder } from "./import-folder.ts";
import { earlierImport, type ImportRoot } from "./import-root.ts";
import { type IsOfAgent, ofAgentIn, settingsFormOf } from "./settings-files.ts";

export interface SetImport {
  /** Only what lies below one of these is imported; of a ref elsewhere nothing is opened. */
  readonly roots: readonly ImportRoot[];
  /** Folder of the evidence, relative to the bundle. */
  readonly folder: string;
}

/** Imports what an attempt left behind in one pass: no link followed, bounded, redacted, hashed, synced. */
export async function importEvidence(
  set: EvidenceSet | null,
  place: SetImport,
  { store, ...tools }: ImportTools & { readonly store: EvidenceStore },
): Promise<EvidenceSet | null> {
  if (set === null) return null;
  const refs = Object.values(set.descriptors).flatMap(({ ref }) =>
    ref === null ? [] : [path.resolve(ref)],
  );
  const isOfAgent = ofAgentIn(set);
  const importer = new Importer(place, { store, tools, refs: new Set(refs), isOfAgent });
  const descriptors: Record<string, EvidenceDescriptor> = {};
  for (const name of Object.keys(set.descriptors)) {
    const descriptor = getOwn(set.descriptors, name) as EvidenceDescriptor;
    setOwn(descriptors, name, await importer.stored(name, descriptor));
  }
  return {
    descriptors: asJson<typeof descriptors>(tools.redactor.json(asJson<JsonObject>(descriptors))),
    metadata: tools.redactor.json(set.metadata),
  };
}

/** Descriptors are JSON data, whatever their type says of absent keys. */
function asJson<T>(value: unknown): T {
  return value as T;
}

/** What became of a ref. */
interface Import {
  /** Relative to the bundle; null when there is nothing to refer to. */
  readonly ref: string | null;
  readonly facts: JsonObject;
}

function withImport(descriptor: EvidenceDescriptor, { ref, facts }: Import): EvidenceDescriptor {
  return {
    ...descriptor,
    ref,
    data: ref === null ? (descriptor.data ?? facts) : descriptor.data,
    metadata: { ...descriptor.metadata, ...facts },
  };
}

/** Where a ref leads, and the directory it lies below. */
interface Located {
  readonly from: string;
  readonly root: ImportRoot;
}

interface ImporterParts {
  readonly store: EvidenceStore;
  readonly tools: ImportTools;
  /** Of all descriptors of the set, absolute. */
  readonly refs: ReadonlySet<string>;
  readonly isOfAgent: IsOfAgent;
}

class Importer {
  readonly #place: SetImport;
  readonly #store: EvidenceStore;
  readonly #tools: ImportTools;
  readonly #names = new FreeNames(["attempts"], (name) => name.toLowerCase());
  readonly #refs: ReadonlySet<string>;
  readonly #isOfAgent: IsOfAgent;
  /** Several descriptors may be about one folder, or about what lies in a folder before them: that is imported once. */
  readonly #imports = new Map<string, Import>();

  constructor(place: SetImport, { store, tools, refs, isOfAgent }: ImporterParts) {
    this.#place = place;
    this.#store = store;
    this.#tools = tools;
    this.#refs = refs;
    this.#isOfAgent = isOfAgent;
  }

  async stored(name: string, descriptor: EvidenceDescriptor): Promise<EvidenceDescriptor> {
    const given = descriptor.ref ?? "";
    const root = this.#place.roots.find(({ dir }) => isBelow(dir, given));
    if (root === undefined) return this.#elsewhere(descriptor);
    const from = path.resolve(given);
    const known = this.#imports.get(from);
    const imported = known ?? (await this.#import(name, descriptor, { from, root }));
    this.#imports.set(from, imported);
    return withImport(descriptor, imported);
  }

  /** A ref of another bundle that nothing was found by would be one into this bundle, to the evidence of whatever trial. */
  #elsewhere(descriptor: EvidenceDescriptor): EvidenceDescriptor {
    const place = descriptor.ref ? placeOfRef(descriptor.ref) : null;
    if (place === "inside" || place === "out") {
      const unavailable = place === "inside" ? "missing" : "outside_of_bundle";
      return withImport(descriptor, { ref: null, facts: { unavailable } });
    }
    // An address is a setting: what it names as a credential goes.
    const { ref } = this.#tools.redactor.settings({ ref: descriptor.ref });
    return { ...descriptor, ref: typeof ref === "string" ? ref : null };
  }

  async #import(
    name: string,
    descriptor: EvidenceDescriptor,
    { from, root }: Located,
  ): Promise<Import> {
    const facts = await this.#factsOf(from);
    const isFolder = descriptor.kind === "filesystem" && descriptor.format !== "file";
    if (facts.kind === "directory") return await this.#importFolder(name, { from, root });
    if (facts.kind === "file" && !isFolder)
      return await this.#importFile(name, { from, root, sizeBytes: facts.sizeBytes });
    const unavailable = { unavailable: facts.kind === "other" ? "special_file" : facts.kind };
    // Nothing was left where the agent's files should be: an empty folder, which is judged like any other.
    if (isFolder) return { ref: await this.#emptyFolder(name), facts: unavailable };
    return { ref: null, facts: unavailable };
  }

  async #importFolder(name: string, { from, root }: Located): Promise<Import> {
    const ref = this.#freePath(name);
    const onStored = (at: string, to: string) => {
      if (this.#refs.has(at)) this.#imports.set(at, { ref: to, facts: {} });
    };
    const folder = { from, root, to: ref, isOfAgent: this.#isOfAgent, onStored };
    const omitted = await importFolder(folder, this.#store, this.#tools);
    return { ref, facts: Object.keys(omitted).length === 0 ? {} : { omitted } };
  }

  async #importFile(
    name: string,
    { from, root, sizeBytes }: Located & { readonly sizeBytes: number },
  ): Promise<Import> {
    const ref = this.#freePath(name, this.#extensionOf(path.basename(from)));
    const source = {
      name: ref,
      sizeBytes,
      isExecutable: false,
      form: this.#isOfAgent(from) ? null : settingsFormOf(path.basename(from)),
      readChunks: () => this.#tools.files.readChunks(from, { below: root.dir }),
    };
    const why = await this.#store.addFile(source, ref, earlierImport(root, from));
    return why === null ? { ref, facts: {} } : { ref: null, facts: { unavailable: why } };
  }

  async #emptyFolder(name: string): Promise<string> {
    const ref = this.#freePath(name);
    await this.#store.addFolder(ref);
    return ref;
  }

  async #factsOf(from: string): Promise<{ readonly kind: string; readonly sizeBytes: number }> {
    try {
      return (await this.#tools.files.stat(from)) ?? { kind: "missing", sizeBytes: 0 };
    } catch (thrown) {
      const why = whyOmitted(thrown);
      if (why === null) throw thrown;
      return { kind: why, sizeBytes: 0 };
    }
  }

  /** Tools look at the end of a name; it is kept when it is a plain one. */
  #extensionOf(fileName: string): string {
    const isClean = this.#tools.redactor.text(fileName) === fileName;
    return isClean ? (/\.[A-Za-z0-9]{1,10}$/.exec(fileName)?.[0] ?? "") : "";
  }

  #freePath(name: string, extension = ""): string {
    const base = uniqueName(this.#tools.redactor.text(name));
    const suffix = base.endsWith(extension) ? "" : extension;
    return `${this.#place.folder}/${this.#names.take(base, suffix)}`;
  }
}
