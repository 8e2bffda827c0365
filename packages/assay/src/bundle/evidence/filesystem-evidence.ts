import { relative, sep } from "node:path";

import type { ChangeKind, FilesystemDiff, FilesystemEvidence } from "../../contracts/evidence.ts";
import type { FileStore } from "../../contracts/files.ts";
import { sha256HexOf } from "../../support/digest.ts";
import { containedPath, isNotThere, pathInside } from "./contained-path.ts";
import { globPattern } from "./glob.ts";
import { unifiedDiff } from "./unified-diff.ts";
import { runVerifier, type VerifierHost } from "./verifier.ts";

/** A handle on a directory, by its real path. */
export function createFilesystemEvidence(root: string, host: VerifierHost): FilesystemEvidence {
  const { files } = host;
  const path = (at = ".") => containedPath(files, root, at);
  const readBytes = async (at: string) => await files.readRegular(await path(at));
  const evidence: FilesystemEvidence = {
    root,
    path,
    exists: (at) => exists(files, root, at),
    readText: async (at) => new TextDecoder().decode(await readBytes(at)),
    readBytes,
    iteratePaths: (at = ".", { isRecursive = false } = {}) =>
      iteratePaths(files, { root, start: at, isRecursive }),
    listFiles: (pattern = "**/*") => listFiles(files, root, globPattern(pattern)),
    diff: (other) => compare(files, evidence, other),
    unifiedDiff: async (other, at, context = 3) => {
      const [before, after] = await Promise.all([textOf(evidence, at), textOf(other, at)]);
      return before === null || after === null
        ? ""
        : unifiedDiff(before, after, { path: at, context });
    },
    runVerifier: (request) => runVerifier(root, request, host),
  };
  return evidence;
}

async function exists(files: FileStore, root: string, at: string): Promise<boolean> {
  try {
    return (await files.stat(await containedPath(files, root, at))) !== null;
  } catch (thrown) {
    if (isNotThere(thrown)) return false;
    throw thrown;
  }
}

interface Iteration {
  readonly root: string;
  readonly start: string;
  readonly isRecursive: boolean;
}

async function iteratePaths(
  files: FileStore,
  { root, start, isRecursive }: Iteration,
): Promise<readonly string[]> {
  const real = await containedPath(files, root, start);
  const prefix = relative(root, real).split(sep).join("/");
  const facts = await files.stat(real);
  if (facts !== null && facts.kind !== "directory") return [prefix];
  const found: string[] = [];
  for await (const entry of files.walk(real)) {
    if (!isRecursive && entry.path.includes("/")) continue;
    const path = prefix === "" ? entry.path : `${prefix}/${entry.path}`;
    if (entry.kind !== "link" || (await pathInside(files, root, path)) !== null) found.push(path);
  }
  return found.sort();
}

async function listFiles(
  files: FileStore,
  root: string,
  pattern: RegExp,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { path, kind } of files.walk(root)) {
    if (!pattern.test(path)) continue;
    if (kind === "file" || (kind === "link" && (await isFileInside(files, root, path))))
      found.push(path);
  }
  return found.sort();
}

async function isFileInside(files: FileStore, root: string, path: string): Promise<boolean> {
  const target = await pathInside(files, root, path);
  return target !== null && (await files.stat(target))?.kind === "file";
}

async function compare(
  files: FileStore,
  before: FilesystemEvidence,
  after: FilesystemEvidence,
): Promise<FilesystemDiff> {
  const [old, current] = await Promise.all([before.listFiles(), after.listFiles()]);
  const [oldPaths, currentPaths] = [new Set(old), new Set(current)];
  const modified: string[] = [];
  for (const path of old) {
    if (
      currentPaths.has(path) &&
      !(await isEqual(files, await before.path(path), await after.path(path)))
    )
      modified.push(path);
  }
  const entries = [
    ...entriesOf(
      "added",
      current.filter((path) => !oldPaths.has(path)),
    ),
    ...entriesOf(
      "deleted",
      old.filter((path) => !currentPaths.has(path)),
    ),
    ...entriesOf("modified", modified),
  ];
  return {
    entries,
    changed: ({ prefix = "", kinds } = {}) =>
      entries
        .filter(
          ({ path, kind }) =>
            path.startsWith(prefix) && (kinds === undefined || kinds.includes(kind)),
        )
        .map(({ path }) => path),
  };
}

function entriesOf(kind: ChangeKind, paths: readonly string[]): FilesystemDiff["entries"] {
  return paths.map((path) => ({ path, kind }));
}

async function isEqual(files: FileStore, a: string, b: string): Promise<boolean> {
  const [factsA, factsB] = await Promise.all([files.stat(a), files.stat(b)]);
  if (factsA?.sizeBytes !== factsB?.sizeBytes) return false;
  const [digestA, digestB] = await Promise.all([
    sha256HexOf(files.readChunks(a)),
    sha256HexOf(files.readChunks(b)),
  ]);
  return digestA === digestB;
}

/** Text of a file; empty when it is not there, null when it is no UTF-8. */
async function textOf(evidence: FilesystemEvidence, at: string): Promise<string | null> {
  if (!(await evidence.exists(at))) return "";
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      await evidence.readBytes(at),
    );
  } catch (thrown) {
    if (thrown instanceof TypeError) return null;
    throw thrown;
  }
}
