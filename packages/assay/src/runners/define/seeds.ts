import { posix, resolve } from "node:path";

import { containedPath } from "../../bundle/evidence/contained-path.ts";
import type { FileStore } from "../../contracts/files.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { formatPath } from "../../schema/decode-problems.ts";
import { describeKind, getOwn, isPlainObject, type JsonObject } from "../../support/json.ts";
import {
  defaultSeedHandlers,
  type SeedContent,
  type SeedHandlers,
  type SeedHost,
} from "./seed-handlers.ts";

export interface SeedOptions extends SeedHost {
  /** Kinds of seeds by name. Default: `inline` and `path`. */
  readonly seedHandlers?: SeedHandlers;
}

/** A file that a workspace starts with: checked, not yet written. */
export interface Seed {
  /** Relative to the workspace, normalised, with forward slashes. */
  readonly path: string;
  /** The key of its entry, as the author wrote it. */
  readonly key: string;
  readonly content: SeedContent;
}

const escapeProblem = "its path escapes the workspace";
const maxSeeds = 10_000;
const maxTotalBytes = 256 * 1024 * 1024;

/**
 * Checks every entry of `inputs.files` before anything is written: path to a text, or to an object of a known kind.
 * What is no map holds no seeds. Throws `ASSAY_SEED_INVALID` naming the entry.
 */
export async function parseSeeds(entries: unknown, options: SeedOptions): Promise<readonly Seed[]> {
  if (!isPlainObject(entries)) return [];
  const keys = Object.keys(entries);
  if (keys.length > maxSeeds)
    throw limitError(`has ${keys.length} entries; at most ${maxSeeds} are allowed`);
  const seeds: Seed[] = [];
  let totalBytes = 0;
  for (const key of keys) {
    const content = await asSeedProblem(key, () => contentOf(getOwn(entries, key), options));
    totalBytes += content.sizeBytes;
    if (totalBytes > maxTotalBytes) throw limitError(`holds more than ${maxTotalBytes} bytes`);
    seeds.push({ path: targetOf(key), key, content });
  }
  refuseClashes(seeds);
  return seeds;
}

/** Writes seeds into a workspace, parents included, and returns their paths in order. Nothing is written when one would leave it. */
export async function writeSeeds(
  workspace: string,
  seeds: readonly Seed[],
  files: FileStore,
): Promise<readonly string[]> {
  const root = await files.realPath(workspace);
  const targets: string[] = [];
  for (const { key, path } of seeds) {
    const target = await asSeedProblem(key, () => containedPath(files, root, path));
    if ((await files.stat(target))?.kind === "directory")
      throw seedError(key, "a directory of this name exists already");
    targets.push(target);
  }
  for (const [index, { key, content }] of seeds.entries()) {
    const target = targets[index] ?? root;
    await files.makeDirectory(resolve(target, ".."));
    await files.remove(target);
    await asSeedProblem(key, () => files.writeNew(target, content.open()));
  }
  return seeds.map(({ path }) => path);
}

async function contentOf(entry: unknown, options: SeedOptions): Promise<SeedContent> {
  const handlers = options.seedHandlers ?? defaultSeedHandlers;
  const fields = typeof entry === "string" ? { kind: "inline", content: entry } : entry;
  if (!isPlainObject(fields))
    throw new Refusal(`must be a string or an object, not ${describeKind(entry)}`);
  const kind = fields["kind"];
  if (typeof kind !== "string" || kind === "") throw new Refusal("needs a `kind` that is a string");
  const handler = Object.hasOwn(handlers, kind) ? handlers[kind] : undefined;
  if (handler === undefined) {
    throw new Refusal(
      `no handler registered for seed kind '${kind}'; known kinds: ${Object.keys(handlers).join(", ")}`,
    );
  }
  return await handler(fields as JsonObject, options);
}

function targetOf(key: string): string {
  const path = posix.normalize(key);
  if (key === "" || path === "." || path.endsWith("/"))
    throw seedError(key, "its path names no file");
  if (key.includes("\0") || key.includes("\\"))
    throw seedError(key, "its path holds a backslash or NUL; use forward slashes");
  if (
    posix.isAbsolute(path) ||
    /^[A-Za-z]:/.test(path) ||
    path === ".." ||
    path.startsWith("../")
  ) {
    throw seedError(key, escapeProblem);
  }
  return path;
}

function refuseClashes(seeds: readonly Seed[]): void {
  const paths = new Set<string>();
  for (const { key, path } of seeds) {
    if (paths.has(path)) throw seedError(key, `another entry also writes ${JSON.stringify(path)}`);
    paths.add(path);
  }
  for (const { key, path } of seeds) {
    for (let parent = posix.dirname(path); parent !== "."; parent = posix.dirname(parent)) {
      if (paths.has(parent))
        throw seedError(key, `another entry makes ${JSON.stringify(parent)} a file`);
    }
  }
}

class Refusal extends Error {}

async function asSeedProblem<T>(key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (!(cause instanceof Refusal) && !AssayError.isInstance(cause)) throw cause;
    const isEscape = AssayError.isInstance(cause) && cause.code === "ASSAY_PATH_ESCAPES";
    throw seedError(key, isEscape ? escapeProblem : messageOf(cause), cause);
  }
}

function seedError(key: string, problem: string, cause?: unknown): AssayError {
  const place = formatPath(["inputs", "files", key]);
  return new AssayError("ASSAY_SEED_INVALID", `${place}: ${problem}`, {
    data: { path: key },
    ...(cause === undefined ? {} : { cause }),
  });
}

function limitError(problem: string): AssayError {
  return new AssayError("ASSAY_SEED_INVALID", `inputs.files ${problem}`, { data: { path: null } });
}
