import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

import { importEvidence } from "../../packages/assay/src/bundle/evidence-import/evidence-import.ts";
import {
  defaultImportLimits,
  EvidenceStore,
  type ImportLimits,
} from "../../packages/assay/src/bundle/evidence-import/evidence-store.ts";
import type { ImportRoot } from "../../packages/assay/src/bundle/evidence-import/import-root.ts";
import type { FileStore } from "../../packages/assay/src/contracts/files.ts";
import { nodeFileStore } from "../../packages/assay/src/platform/files/node-file-store.ts";
import { createRedactor } from "../../packages/assay/src/provenance/redaction/redactor.ts";
import type { EvidenceDescriptor, EvidenceSet } from "../../packages/assay/src/schema/evidence.ts";
import type { EvidenceFile } from "../../packages/assay/src/schema/evidence-file.ts";

/** A folder of real files that is removed after the test. */
export function folder(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "assay-bundle-")));
  onTestFinished(() => nodeFileStore.remove(root));
  return root;
}

export const canary = "Wallaby+77/secret=value";

export function descriptor(more: Partial<EvidenceDescriptor> = {}): EvidenceDescriptor {
  const blank = { ref: null, format: null, data: null, description: null, metadata: {} };
  return { kind: "filesystem", ...blank, ...more };
}

export function evidence(descriptors: Readonly<Record<string, EvidenceDescriptor>>): EvidenceSet {
  return { descriptors, metadata: {} };
}

export interface ImportKitOptions {
  readonly limits?: Partial<ImportLimits>;
  readonly files?: Partial<FileStore>;
  readonly roots?: readonly ImportRoot[];
}

const trial = "evidence/000000-task/trial";

/** A scratch directory and a bundle, and the import from the one into the other. */
export function importKit(options: ImportKitOptions = {}) {
  const root = folder();
  const [scratch, bundle] = [join(root, "scratch"), join(root, "bundle")];
  mkdirSync(bundle);
  const synced: string[] = [];
  const files: FileStore = {
    ...nodeFileStore,
    syncDirectory: async (path) => {
      synced.push(path);
      await nodeFileStore.syncDirectory(path);
    },
    ...options.files,
  };
  const redactor = createRedactor({ secrets: [{ name: "CANARY", value: canary }] });
  const tools = { files, redactor, limits: { ...defaultImportLimits, ...options.limits } };
  return {
    root,
    scratch,
    bundle,
    synced,
    async import(set: EvidenceSet) {
      const store = new EvidenceStore(
        { bundleDir: bundle, taskId: "task", trialId: "trial" },
        tools,
      );
      const place = { roots: [{ dir: scratch }, ...(options.roots ?? [])], folder: trial };
      const stored = await importEvidence(set, place, { ...tools, store });
      await store.sync();
      return new Imported(bundle, stored ?? evidence({}), store.files);
    },
  };
}

/** What an import made, checked against the disk. */
class Imported {
  readonly set: EvidenceSet;
  readonly rows: readonly EvidenceFile[];
  readonly #bundle: string;

  constructor(bundle: string, set: EvidenceSet, rows: readonly EvidenceFile[]) {
    this.#bundle = bundle;
    this.set = set;
    this.rows = rows;
  }

  of(name: string): EvidenceDescriptor {
    const found = this.set.descriptors[name];
    if (found === undefined) throw new Error(`there is no evidence "${name}"`);
    return found;
  }

  /** Where a piece of evidence is stored, absolute. */
  path(name: string, ...below: readonly string[]): string {
    return join(this.#bundle, this.of(name).ref ?? "", ...below);
  }

  text(name: string, ...below: readonly string[]): string {
    return readFileSync(this.path(name, ...below), "utf8");
  }

  row(path: string): EvidenceFile {
    const found = this.rows.find((row) => row.path.endsWith(path));
    if (found === undefined) throw new Error(`there is no row of "${path}"`);
    return found;
  }

  /** Rows whose size or digest is not that of the bytes on disk, and files and links without a row. */
  disagreements(): string[] {
    const wrong = this.rows.filter(({ path, sha256, sizeBytes }) => {
      const bytes = bytesOf(join(this.#bundle, path));
      return digestOf(bytes) !== sha256 || bytes.length !== sizeBytes;
    });
    const listed = new Set(this.rows.map(({ path }) => path));
    const unlisted = entriesBelow(this.#bundle).filter((path) => !listed.has(path));
    return [...wrong.map(({ path }) => path), ...unlisted];
  }
}

function bytesOf(path: string): Buffer {
  return lstatSync(path).isSymbolicLink() ? Buffer.from(readlinkSync(path)) : readFileSync(path);
}

function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Files and links below, sorted, by their paths. Links are not followed. */
export function entriesBelow(root: string, prefix = ""): string[] {
  if (!existsSync(root)) return [];
  return readdirSync(root, { withFileTypes: true })
    .flatMap((entry) =>
      entry.isDirectory()
        ? entriesBelow(join(root, entry.name), `${prefix}${entry.name}/`)
        : [`${prefix}${entry.name}`],
    )
    .sort();
}
