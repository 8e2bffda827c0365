import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import type { Fact } from "../../schema/fact.ts";
import { noCommit, noRepository } from "./git.ts";

const maxFileBytes = 64 * 1024;
const maxPackedRefsBytes = 64 * 1024 * 1024;
const object = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The commit that is checked out in the repository around a folder, read from its files: for where git cannot be asked. */
export async function headCommit(dir: string, files: FileStore): Promise<Fact<string>> {
  for (let folder = dir; ; folder = path.dirname(folder)) {
    const gitDir = await gitDirOf(path.join(folder, ".git"), files);
    if (gitDir !== null) return await commitOf(gitDir, files);
    if (path.dirname(folder) === folder) return { unknown: noRepository };
  }
}

/** A directory, or a file that names one: of a worktree, of a submodule. */
async function gitDirOf(place: string, files: FileStore): Promise<string | null> {
  const facts = await files.stat(place);
  if (facts?.kind === "directory") return place;
  if (facts?.kind !== "file") return null;
  const text = await textOf(place, files);
  const named = /^gitdir: (.+)$/m.exec(text ?? "")?.[1];
  return named === undefined ? null : path.resolve(path.dirname(place), named.trim());
}

async function commitOf(gitDir: string, files: FileStore): Promise<Fact<string>> {
  const head = (await textOf(path.join(gitDir, "HEAD"), files))?.trim() ?? "";
  if (object.test(head)) return head;
  const ref = /^ref: (refs\/[^\0]+)$/.exec(head)?.[1];
  if (ref === undefined || ref.split("/").includes(".."))
    return { unknown: "the HEAD of the repository cannot be read" };
  const common = (await textOf(path.join(gitDir, "commondir"), files))?.trim() ?? ".";
  for (const store of [gitDir, path.resolve(gitDir, common)]) {
    const loose = (await textOf(path.join(store, ref), files))?.trim() ?? "";
    if (object.test(loose)) return loose;
    const packed = await packedRef(path.join(store, "packed-refs"), ref, files);
    if (packed !== null) return packed;
  }
  return { unknown: noCommit };
}

async function packedRef(file: string, ref: string, files: FileStore): Promise<string | null> {
  const text = await textOf(file, files, maxPackedRefsBytes);
  const line = text?.split("\n").find((one) => one.endsWith(` ${ref}`));
  const commit = line?.slice(0, -ref.length - 1) ?? "";
  return object.test(commit) ? commit : null;
}

async function textOf(
  file: string,
  files: FileStore,
  maxBytes = maxFileBytes,
): Promise<string | null> {
  try {
    return await files.readText(file, { maxBytes });
  } catch {
    // Absent, or no file of git's: whoever asked says what is not known then.
    return null;
  }
}
