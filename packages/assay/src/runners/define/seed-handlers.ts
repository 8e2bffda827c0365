import { homedir } from "node:os";
import { join, resolve } from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { fromWire } from "../../schema/codec.ts";
import { inlineSeedSchema, pathSeedSchema } from "../../schema/seed.ts";
import type { JsonObject } from "../../support/json.ts";

export interface SeedHost {
  /** Relative paths start here. */
  readonly baseDir: string;
  readonly files: FileStore;
}

/** The bytes of a seed, given when they are asked for. */
export interface SeedContent {
  readonly sizeBytes: number;
  open(): AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** Checks one entry of its kind and finds its content, without reading more than it must. */
export type SeedHandler = (entry: JsonObject, host: SeedHost) => Promise<SeedContent>;

/** By kind. A caller's own map may add to these. */
export type SeedHandlers = Readonly<Record<string, SeedHandler>>;

export const defaultSeedHandlers: SeedHandlers = { inline: openInline, path: openPath };

const strictBase64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

async function openInline(entry: JsonObject): Promise<SeedContent> {
  const { content, encoding } = fromWire(inlineSeedSchema, entry, {
    source: "invalid inline seed",
  });
  if (encoding === "base64" && !strictBase64.test(content))
    throw invalid("its content is no base64");
  const bytes = Buffer.from(content, encoding === "base64" ? "base64" : "utf8");
  return { sizeBytes: bytes.length, open: () => [bytes] };
}

async function openPath(entry: JsonObject, { baseDir, files }: SeedHost): Promise<SeedContent> {
  const { path } = fromWire(pathSeedSchema, entry, { source: "invalid path seed" });
  const isHome = path === "~" || path.startsWith("~/");
  const source = isHome ? join(homedir(), path.slice(1)) : resolve(baseDir, path);
  try {
    const real = await files.realPath(source);
    const facts = await files.stat(real);
    if (facts?.kind !== "file") throw invalid("it is no regular file");
    return { sizeBytes: facts.sizeBytes, open: () => files.readChunks(real) };
  } catch (cause) {
    throw invalid(`${JSON.stringify(path)} could not be read: ${messageOf(cause)}`, cause);
  }
}

function invalid(problem: string, cause?: unknown): AssayError {
  return new AssayError("ASSAY_SEED_INVALID", problem, cause === undefined ? {} : { cause });
}
