import path from "node:path";

import type { Clock } from "../contracts/clock.ts";
import type { FileStore, LineWriter } from "../contracts/files.ts";
import { bundleFiles } from "./layout.ts";

/** The appended files in the order in which a group reaches the disk. */
const streams = ["evidence", "trials", "scores", "attempts"] as const;
type Stream = (typeof streams)[number];

/** Rows that become durable together. */
export type JournalRows = Partial<Record<Stream, readonly string[]>>;

const maxDelayMs = 50;
const maxGroupBytes = 1024 * 1024;

/**
 * The one writer of the appended files. Rows are flushed in groups: at most 50 ms or 1 MiB late, file by file in the
 * order evidence, trials, scores, attempts, each synced before the next, so that a row never refers to one that is not there.
 */
export class Journal {
  readonly #writers: Record<Stream, LineWriter>;
  readonly #clock: Clock;
  #pending: Record<Stream, string[]> = emptyGroup();
  #pendingBytes = 0;
  #group: Promise<void> | null = null;
  #flushNow: AbortController = new AbortController();
  #lastFlush: Promise<void> = Promise.resolve();
  #failure: { readonly thrown: unknown } | null = null;

  private constructor(writers: Record<Stream, LineWriter>, clock: Clock) {
    this.#writers = writers;
    this.#clock = clock;
  }

  static async open(
    dir: string,
    { files, clock }: { readonly files: FileStore; readonly clock: Clock },
  ): Promise<Journal> {
    const writers: Partial<Record<Stream, LineWriter>> = {};
    for (const stream of streams)
      writers[stream] = await files.openAppend(path.join(dir, bundleFiles[stream]));
    await files.syncDirectory(dir);
    return new Journal(writers as Record<Stream, LineWriter>, clock);
  }

  /** Resolves when the rows are on disk. */
  append(rows: JournalRows): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure.thrown);
    for (const stream of streams) {
      for (const row of rows[stream] ?? []) {
        this.#pending[stream].push(row);
        this.#pendingBytes += row.length;
      }
    }
    this.#group ??= this.#schedule();
    if (this.#pendingBytes >= maxGroupBytes) this.#flushNow.abort();
    return this.#group;
  }

  /** Resolves when what is unflushed is small enough to go on: back-pressure for those who produce rows. */
  async room(): Promise<void> {
    if (this.#pendingBytes >= maxGroupBytes && this.#group !== null) await this.#group;
  }

  async close(): Promise<void> {
    this.#flushNow.abort();
    try {
      await this.#group;
      await this.#lastFlush;
    } finally {
      for (const stream of streams) await this.#writers[stream].close();
    }
  }

  async #schedule(): Promise<void> {
    const previous = this.#lastFlush;
    await this.#clock.sleep(maxDelayMs, this.#flushNow.signal).catch(() => {
      // Woken early: the group is full, or the journal closes.
    });
    await previous;
    const group = this.#pending;
    this.#pending = emptyGroup();
    this.#pendingBytes = 0;
    this.#group = null;
    this.#flushNow = new AbortController();
    this.#lastFlush = this.#write(group);
    await this.#lastFlush;
  }

  async #write(group: Record<Stream, string[]>): Promise<void> {
    try {
      for (const stream of streams) {
        if (group[stream].length === 0) continue;
        await this.#writers[stream].append(`${group[stream].join("\n")}\n`);
        await this.#writers[stream].sync();
      }
    } catch (thrown) {
      // After a failed write nothing more may be reported as done.
      this.#failure = { thrown };
      throw thrown;
    }
  }
}

function emptyGroup(): Record<Stream, string[]> {
  return { evidence: [], trials: [], scores: [], attempts: [] };
}
