import type { FileHandle } from "node:fs/promises";
import type { Readable } from "node:stream";

import type { OutputFacts, OutputSink } from "../../contracts/process.ts";
import { cutMark } from "../../support/cut-text.ts";
import { openNew, writeAll } from "../files/open-file.ts";
import { storeError } from "../files/system-errors.ts";
import { LineSplitter } from "../line-splitter.ts";
import { wholeCharactersEnd } from "../whole-characters.ts";

const defaultKeepBytes = 64 * 1024;
const defaultMaxBytes = 64 * 1024 * 1024;
const defaultMaxLineBytes = 1024 * 1024;

/** Takes one output stream of a process to where it is wanted. What is over the caps is read and counted, so that the process never blocks on it. */
export class OutputCollector {
  readonly #file: { readonly path: string; readonly handle: FileHandle } | null;
  readonly #lines: LineSplitter | null;
  readonly #onChunk: OutputSink["onChunk"];
  readonly #keepBytes: number;
  readonly #maxBytes: number;
  readonly #head: Uint8Array[] = [];
  #headBytes = 0;
  #fileBytes = 0;
  #totalBytes = 0;
  #isStorePending = false;
  #isAbandoned = false;

  static async open(sink: OutputSink = {}): Promise<OutputCollector> {
    const path = sink.file;
    const file = path === undefined ? null : { path, handle: await openNew(path) };
    return new OutputCollector(sink, file);
  }

  private constructor(sink: OutputSink, file: { path: string; handle: FileHandle } | null) {
    this.#file = file;
    const { onLine, maxLineBytes = defaultMaxLineBytes } = sink;
    this.#lines = onLine === undefined ? null : new LineSplitter(onLine, maxLineBytes);
    this.#onChunk = sink.onChunk;
    this.#keepBytes = sink.keepBytes ?? defaultKeepBytes;
    this.#maxBytes = sink.maxBytes ?? defaultMaxBytes;
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** The stream waits for us, not for the process. */
  get isStorePending(): boolean {
    return this.#isStorePending;
  }

  /** Reads until the stream ends or is abandoned. Throws what the file, `onLine` or `onChunk` throws; the stream is then read no further. */
  async collect(stream: Readable): Promise<void> {
    try {
      for await (const chunk of stream) await this.#take(chunk as Uint8Array);
    } catch (thrown) {
      if (!this.#isAbandoned) throw thrown;
    }
    this.#lines?.end();
  }

  /** Stops reading although the stream is still open: something out of reach holds it. */
  abandon(stream: Readable): void {
    this.#isAbandoned = true;
    stream.destroy();
  }

  async close(): Promise<OutputFacts> {
    if (this.#file !== null) await this.#closeFile(this.#file);
    const head = Buffer.concat(this.#head);
    const isHeadCut = this.#totalBytes > this.#headBytes && this.#keepBytes > 0;
    return {
      text: isHeadCut
        ? `${head.toString("utf8", 0, wholeCharactersEnd(head))}${cutMark}`
        : head.toString("utf8"),
      totalBytes: this.#totalBytes,
      isTruncated: isHeadCut || this.#isFileCut(),
    };
  }

  #isFileCut(): boolean {
    return this.#file !== null && this.#totalBytes > this.#fileBytes;
  }

  async #take(chunk: Uint8Array): Promise<void> {
    this.#totalBytes += chunk.length;
    this.#keepHead(chunk);
    await this.#store(chunk);
    await this.#hand(chunk);
    this.#lines?.push(chunk);
  }

  async #hand(chunk: Uint8Array): Promise<void> {
    if (this.#onChunk === undefined) return;
    this.#isStorePending = true;
    try {
      await this.#onChunk(chunk);
    } finally {
      this.#isStorePending = false;
    }
  }

  #keepHead(chunk: Uint8Array): void {
    const room = this.#keepBytes - this.#headBytes;
    if (room <= 0) return;
    const kept = Buffer.from(chunk.subarray(0, room));
    this.#head.push(kept);
    this.#headBytes += kept.length;
  }

  async #store(chunk: Uint8Array): Promise<void> {
    const room = this.#maxBytes - this.#fileBytes;
    if (this.#file === null || room <= 0) return;
    const kept = chunk.subarray(0, room);
    this.#isStorePending = true;
    try {
      await writeAll(this.#file.handle, kept);
    } catch (thrown) {
      throw storeError(this.#file.path, thrown);
    } finally {
      this.#isStorePending = false;
    }
    this.#fileBytes += kept.length;
  }

  async #closeFile({ path, handle }: { path: string; handle: FileHandle }): Promise<void> {
    try {
      if (this.#isFileCut()) await markCut(handle, this.#fileBytes);
    } catch (thrown) {
      throw storeError(path, thrown);
    } finally {
      await handle.close();
    }
  }
}

/** Ends the file at a whole character, and says that it was longer. */
async function markCut(handle: FileHandle, sizeBytes: number): Promise<void> {
  const tail = Buffer.alloc(Math.min(4, sizeBytes));
  const start = sizeBytes - tail.length;
  await handle.read(tail, 0, tail.length, start);
  const end = start + wholeCharactersEnd(tail);
  await handle.truncate(end);
  await handle.write(cutMark, end);
}
