import { promisify } from "node:util";
import {
  type BrotliOptions,
  brotliDecompress,
  constants,
  gunzip,
  inflate,
  inflateRaw,
  type ZlibOptions,
} from "node:zlib";

import type { Redactor } from "../../../contracts/redactor.ts";
import { type ArchiveKind, archiveKindOf, tellingBytes } from "./archive-kind.ts";
import { packObjects } from "./git-pack.ts";
import { type HiddenStream, hiddenStreams } from "./hidden-streams.ts";
import { tarEntries } from "./tar-entries.ts";
import { zipEntries } from "./zip-entries.ts";

export interface ArchiveLimits {
  /** Of the file as it lies there. */
  readonly fileBytes: number;
  /** All that is unpacked of it, layer by layer. */
  readonly unpackedBytes: number;
  readonly entries: number;
  /** Archives in archives. */
  readonly depth: number;
  /** Places of one file that may begin compressed bytes, and do not. */
  readonly misses: number;
}

export const archiveLimits: ArchiveLimits = {
  fileBytes: 16 * 1024 * 1024,
  unpackedBytes: 128 * 1024 * 1024,
  entries: 20_000,
  depth: 4,
  misses: 16,
};

/** Why nobody can say what an archive holds: it is damaged or encrypted, of a format that is not read, or beyond a limit. */
export type WhyUnread = "damaged" | "format" | "too_large";

export interface Inside {
  readonly secrets: number;
  readonly unread: WhyUnread | null;
}

/** What is unpacked fills memory, so all imports of the process take turns. */
let turn: Promise<unknown> = Promise.resolve();

/** Looks into an archive, and into those in it, within bounds. Nothing is written. */
export async function lookInside(
  file: Buffer,
  redactor: Redactor,
  limits: ArchiveLimits = archiveLimits,
): Promise<Inside> {
  const mine = turn.then(() => look(file, redactor, limits));
  turn = mine.catch(() => {
    // Told to the one whose turn it was.
  });
  return await mine;
}

async function look(file: Buffer, redactor: Redactor, limits: ArchiveLimits): Promise<Inside> {
  const search = new Search(redactor, limits);
  try {
    await search.into(file, 0);
    return { secrets: search.secrets, unread: null };
  } catch (thrown) {
    if (!(thrown instanceof Unread)) throw thrown;
    return { secrets: search.secrets, unread: thrown.why };
  }
}

class Unread extends Error {
  readonly why: WhyUnread;

  constructor(why: WhyUnread) {
    super(why);
    this.why = why;
  }
}

type Unpack = (bytes: Buffer, options: ZlibOptions) => Promise<Buffer>;
const gunzipped: Unpack = promisify<Buffer, ZlibOptions, Buffer>(gunzip);
const inflated: Unpack = promisify<Buffer, ZlibOptions, Buffer>(inflate);
const unbrotlied = promisify<Buffer, BrotliOptions, Buffer>(brotliDecompress);
const inflatedRaw: Unpack = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);

/** What there is of a stream that is cut off. */
const inflatedStart: Unpack = (bytes, options) =>
  inflatedRaw(bytes, { ...options, finishFlush: constants.Z_SYNC_FLUSH });

/** Methods of ZIP. */
const stored = 0;
const deflated = 8;

class Search {
  secrets = 0;
  readonly #redactor: Redactor;
  readonly #limits: ArchiveLimits;
  #unpackedBytes = 0;
  #entries = 0;

  constructor(redactor: Redactor, limits: ArchiveLimits) {
    this.#redactor = redactor;
    this.#limits = limits;
  }

  /** What an archive holds, layer by layer. The bytes of the file itself are searched by whoever stores them. */
  async into(bytes: Buffer, depth: number): Promise<void> {
    const kind = archiveKindOf(bytes.subarray(0, tellingBytes));
    if (kind === null) return await this.#intoHidden(bytes, depth);
    if (depth >= this.#limits.depth) throw new Unread("too_large");
    if (kind === "opaque") throw new Unread("format");
    for await (const inner of this.#contentsOf(bytes, kind)) {
      // A tar file shows what it holds: that is searched already.
      if (kind !== "tar") this.#search(inner);
      await this.into(inner, depth + 1);
    }
  }

  /** Most places that look like compressed bytes are none: then nothing is wrong. */
  async #intoHidden(bytes: Buffer, depth: number): Promise<void> {
    let misses = 0;
    for (const stream of hiddenStreams(bytes)) {
      const inner = await this.#unpackHidden(bytes, stream);
      if (inner === null) misses += 1;
      if (misses > this.#limits.misses) throw new Unread("too_large");
      if (inner === null) continue;
      if (depth >= this.#limits.depth) throw new Unread("too_large");
      this.#countEntry();
      this.#search(inner);
      await this.into(inner, depth + 1);
    }
  }

  async #unpackHidden(bytes: Buffer, { at, method }: HiddenStream): Promise<Buffer | null> {
    try {
      const inner = await this.#unpack(
        bytes.subarray(at),
        method === "brotli" ? unbrotlied : inflatedStart,
      );
      return inner.length === 0 ? null : inner;
    } catch (thrown) {
      if (thrown instanceof Unread && thrown.why === "damaged") return null;
      throw thrown;
    }
  }

  #search(bytes: Buffer): void {
    const stream = this.#redactor.stream();
    stream.push(bytes);
    stream.end();
    this.secrets += stream.count;
  }

  async *#contentsOf(bytes: Buffer, kind: Exclude<ArchiveKind, "opaque">): AsyncGenerator<Buffer> {
    if (kind === "tar") yield* this.#tarContents(bytes);
    else if (kind === "zip") yield* this.#zipContents(bytes);
    else if (kind === "git-pack") yield* this.#packContents(bytes);
    else if (kind === "gzip") yield await this.#unpack(bytes, gunzipped);
    else yield* await this.#zlibContents(bytes);
  }

  /** Two bytes say little: what does not unpack is no compressed file, and shows what it holds. */
  async #zlibContents(bytes: Buffer): Promise<readonly Buffer[]> {
    try {
      return [await this.#unpack(bytes, inflated)];
    } catch (thrown) {
      if (thrown instanceof Unread && thrown.why === "damaged") return [];
      throw thrown;
    }
  }

  *#tarContents(bytes: Buffer): Generator<Buffer> {
    const entries = tarEntries(bytes);
    if (entries === null) throw new Unread("damaged");
    for (const entry of entries) {
      this.#countEntry();
      yield entry;
    }
  }

  async *#zipContents(bytes: Buffer): AsyncGenerator<Buffer> {
    const entries = zipEntries(bytes);
    if (entries === null) throw new Unread("damaged");
    for (const { method, bytes: packed } of entries) {
      this.#countEntry();
      if (method !== stored && method !== deflated) throw new Unread("format");
      yield method === stored ? packed : await this.#unpack(packed, inflatedRaw);
    }
  }

  async *#packContents(bytes: Buffer): AsyncGenerator<Buffer> {
    const objects = packObjects(bytes, () => this.#room());
    for (;;) {
      const next = await this.#unpacked(async () => objects.next());
      if (next.done === true) return;
      this.#unpackedBytes += next.value.length;
      this.#countEntry();
      yield next.value;
    }
  }

  #countEntry(): void {
    this.#entries += 1;
    if (this.#entries > this.#limits.entries) throw new Unread("too_large");
  }

  #room(): number {
    const room = this.#limits.unpackedBytes - this.#unpackedBytes;
    if (room <= 0) throw new Unread("too_large");
    return room;
  }

  async #unpack(bytes: Buffer, unpack: Unpack): Promise<Buffer> {
    const room = this.#room();
    const unpacked = await this.#unpacked(() => unpack(bytes, { maxOutputLength: room }));
    this.#unpackedBytes += unpacked.length;
    return unpacked;
  }

  async #unpacked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      if (thrown instanceof Unread) throw thrown;
      const { code } = thrown as { readonly code?: string };
      throw new Unread(code === "ERR_BUFFER_TOO_LARGE" ? "too_large" : "damaged");
    }
  }
}
