import path from "node:path";

import type { FileStore, WalkEntry } from "../contracts/files.ts";
import type { Redactor } from "../contracts/redactor.ts";
import type { EvidenceDescriptor, EvidenceSet } from "../schema/evidence.ts";
import type { EvidenceFile } from "../schema/evidence-file.ts";
import { uniqueName } from "../support/file-names.ts";
import { getOwn, type JsonObject, setOwn } from "../support/json.ts";
import { importFile } from "./evidence-file-import.ts";

export interface ImportPlace {
  /** The bundle's directory. */
  readonly bundleDir: string;
  /** Folder of the trial, relative to the bundle. */
  readonly folder: string;
  readonly taskId: string;
  readonly trialId: string;
  /** Only what lies below one of these is imported; a ref elsewhere stays as it is. */
  readonly roots: readonly string[];
}

export interface ImportTools {
  readonly files: FileStore;
  readonly redactor: Redactor;
  readonly limits: ImportLimits;
}

export interface ImportLimits {
  readonly fileBytes: number;
  readonly trialBytes: number;
  readonly trialFiles: number;
}

export const defaultImportLimits: ImportLimits = {
  fileBytes: 64 * 1024 * 1024,
  trialBytes: 1024 * 1024 * 1024,
  trialFiles: 20_000,
};

export interface ImportedEvidence {
  readonly evidence: EvidenceSet | null;
  readonly files: readonly EvidenceFile[];
}

/** What one trial has used of its bounds, and what had to be left out. */
interface Budget {
  bytes: number;
  files: number;
}

/** Imports what an attempt left behind in one pass: no link followed, bounded, redacted, hashed, synced. */
export async function importEvidence(
  set: EvidenceSet | null,
  place: ImportPlace,
  tools: ImportTools,
): Promise<ImportedEvidence> {
  if (set === null) return { evidence: null, files: [] };
  const budget: Budget = { bytes: 0, files: 0 };
  const rows: EvidenceFile[] = [];
  const descriptors: Record<string, EvidenceDescriptor> = {};
  const state = {
    place,
    tools,
    budget,
    rows,
    taken: new Set<string>(),
    directories: new Set<string>(),
  };
  for (const name of Object.keys(set.descriptors)) {
    const descriptor = getOwn(set.descriptors, name) as EvidenceDescriptor;
    const stored = await importOne(name, descriptor, state);
    setOwn(descriptors, tools.redactor.text(name), stored);
  }
  for (const directory of state.directories)
    await tools.files.syncDirectory(path.join(place.bundleDir, directory));
  return { evidence: { descriptors, metadata: tools.redactor.json(set.metadata) }, files: rows };
}

interface ImportState {
  readonly place: ImportPlace;
  readonly tools: ImportTools;
  readonly budget: Budget;
  readonly rows: EvidenceFile[];
  readonly taken: Set<string>;
  /** Directories that got an entry and have to be synced, relative to the bundle. */
  readonly directories: Set<string>;
}

async function importOne(
  name: string,
  descriptor: EvidenceDescriptor,
  state: ImportState,
): Promise<EvidenceDescriptor> {
  const { place, tools } = state;
  const plain: EvidenceDescriptor = tools.redactor.json(
    descriptor as unknown as JsonObject,
  ) as unknown as EvidenceDescriptor;
  const { ref } = descriptor;
  const root = ref === null ? undefined : place.roots.find((candidate) => isBelow(candidate, ref));
  if (ref === null || root === undefined) return plain;
  if (!(await isReachedWithoutLinks(root, ref, tools.files)))
    return unavailable(plain, "reached through a link");
  const facts = await tools.files.stat(ref);
  const target = `${place.folder}/${freeName(tools.redactor.text(name), state.taken)}`;
  if (facts?.kind === "directory") {
    const omitted = await importDirectory(ref, target, state);
    return { ...plain, ref: target, metadata: withOmitted(plain.metadata, omitted) };
  }
  if (facts?.kind === "file") {
    const extension = path.extname(ref).slice(0, 16);
    const file = target.endsWith(extension) ? target : `${target}${extension}`;
    const omitted = await importInto(ref, file, facts.sizeBytes, state);
    if (omitted === null) return { ...plain, ref: file };
    return unavailable(plain, omitted);
  }
  return unavailable(plain, facts === null ? "missing" : facts.kind);
}

function unavailable(descriptor: EvidenceDescriptor, why: string): EvidenceDescriptor {
  return { ...descriptor, ref: null, data: { unavailable: why } };
}

type Omitted = Record<string, number>;

async function importDirectory(root: string, target: string, state: ImportState): Promise<Omitted> {
  const { tools } = state;
  const omitted: Omitted = {};
  const omit = (why: string) => {
    omitted[why] = (omitted[why] ?? 0) + 1;
  };
  await makeFolder(target, state);
  for await (const entry of tools.files.walk(root)) {
    const to = `${target}/${tools.redactor.text(entry.path)}`;
    if (entry.kind === "directory") await makeFolder(to, state);
    else if (entry.kind === "file") {
      const why = await importInto(path.join(root, entry.path), to, entry.sizeBytes, state);
      if (why !== null) omit(why);
    } else omit(whyOmitted(entry));
  }
  return omitted;
}

async function makeFolder(
  folder: string,
  { place, tools, directories }: ImportState,
): Promise<void> {
  await tools.files.makeDirectory(path.join(place.bundleDir, folder));
  directories.add(folder).add(path.posix.dirname(folder));
}

function whyOmitted(entry: WalkEntry): string {
  return entry.kind === "link" ? "link" : "special_file";
}

/** Imports one file; a reason when it was left out. */
async function importInto(
  from: string,
  to: string,
  sizeBytes: number,
  state: ImportState,
): Promise<string | null> {
  const { place, tools, budget } = state;
  if (budget.files >= tools.limits.trialFiles) return "over_file_count";
  if (budget.bytes >= tools.limits.trialBytes) return "over_total_size";
  await makeFolder(path.posix.dirname(to), state);
  budget.files += 1;
  budget.bytes += Math.min(sizeBytes, tools.limits.fileBytes);
  const row = await importFile(
    { from, to: path.join(place.bundleDir, to), maxBytes: tools.limits.fileBytes },
    tools,
  );
  state.rows.push({ ...row, path: to, taskId: place.taskId, trialId: place.trialId });
  return null;
}

function withOmitted(metadata: JsonObject, omitted: Omitted): JsonObject {
  return Object.keys(omitted).length === 0 ? metadata : { ...metadata, omitted };
}

function freeName(name: string, taken: Set<string>): string {
  const base = uniqueName(name);
  let candidate = base;
  for (let i = 2; taken.has(candidate.toLowerCase()); i += 1) candidate = `${base}-${i}`;
  taken.add(candidate.toLowerCase());
  return candidate;
}

/** A folder that an agent replaced by a link would lead the import elsewhere. */
async function isReachedWithoutLinks(
  root: string,
  ref: string,
  files: FileStore,
): Promise<boolean> {
  const folder = path.dirname(ref);
  if ((await files.stat(folder)) === null) return true;
  const expected = path.join(await files.realPath(root), path.relative(root, folder));
  return (await files.realPath(folder)) === expected;
}

function isBelow(root: string, ref: string): boolean {
  if (!path.isAbsolute(ref)) return false;
  const relative = path.relative(root, ref);
  return relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative);
}
