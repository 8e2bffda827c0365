import { createHash, type Hash } from "node:crypto";
import path from "node:path";

import type { Clock } from "../contracts/clock.ts";
import type { FileStore, LineWriter } from "../contracts/files.ts";
import { AssayError } from "../errors/assay-error.ts";
import { bundleFiles } from "./layout.ts";
import { RowBlocks } from "./row-blocks.ts";

/**
 * The appended files in the order in which a group reaches the disk. What a trial has cost comes before the trial: one
 * that is on disk is in the ledger too, and of one that was lost between the two the ledger knows.
 */
export const journalStreams = ["evidence", "attempts", "trials", "scores"] as const;
export type JournalStream = (typeof journalStreams)[number];

/** What a file of the journal holds when it is opened: so many bytes, with this running digest. */
export interface JournalStart {
  readonly keptBytes: number;
  readonly hash: Hash;
}

export type JournalStarts = Readonly<Record<JournalStream, JournalStart>>;

/** Rows that become durable together. */
export type JournalRows = Partial<Record<JournalStream, readonly string[]>>;

const maxDelayMs = 50;
const maxGroupSize = 1024 * 1024;

/**
 * The one writer of the appended files. Rows are flushed in groups: at most 50 ms or about 1 MiB late, file by file in the
 * order evidence, attempts, trials, scores, each synced before the next, so that a row never refers to one that is not there.
 */
export class Journal {
  readonly #files: ReadonlyMap<JournalStream, JournalFile>;
  readonly #clock: Clock;
  /** Takes rows; null until there are any. */
  #open: Group | null = null;
  /** Of a group that is written. */
  #spare: GroupRows | null = null;
  #lastWrite: Promise<void> = Promise.resolve();
  #unflushedSize = 0;
  /** Once set, no row is taken any more: nothing may be reported as done that could not be written. */
  #end: Promise<void> | null = null;
  #closed: Promise<void> | null = null;
  #fail: (thrown: unknown) => void = () => {};
  /** Resolves with what the first write that failed threw. */
  readonly failure = new Promise<unknown>((resolve) => {
    this.#fail = resolve;
  });

  private constructor(files: ReadonlyMap<JournalStream, JournalFile>, clock: Clock) {
    this.#files = files;
    this.#clock = clock;
  }

  /** Without `starts` the files are new. */
  static async open(
    dir: string,
    { files: store, clock }: { readonly files: FileStore; readonly clock: Clock },
    starts: JournalStarts | null = null,
  ): Promise<Journal> {
    const files = new Map<JournalStream, JournalFile>();
    try {
      for (const stream of journalStreams) {
        const { keptBytes = 0, hash = createHash("sha256") } = starts?.[stream] ?? {};
        const writer = await store.openAppend(path.join(dir, bundleFiles[stream]), {
          keepBytes: keptBytes,
        });
        files.set(stream, { writer, hash });
      }
    } catch (thrown) {
      await closeAll(files);
      throw thrown;
    }
    return new Journal(files, clock);
  }

  /**
   * Resolves when the rows are on disk, and calls `report` then. The promise is that of the whole group, and nobody need
   * hold one for each row: it would keep what belongs to the row until then.
   */
  append(rows: JournalRows, report?: () => void): Promise<void> {
    if (this.#end !== null) return this.#end;
    this.#open ??= this.#newGroup();
    const group = this.#open;
    if (report !== undefined) group.reports.push(report);
    const size = addRows(group.rows, rows);
    group.size += size;
    this.#unflushedSize += size;
    if (group.size >= maxGroupSize) group.flushNow.abort("full");
    return group.isDurable;
  }

  /** More is unflushed than whoever produces rows should add to. */
  get isFull(): boolean {
    return this.#unflushedSize >= maxGroupSize && this.#end === null;
  }

  /** Resolves when it is full no more. */
  async room(): Promise<void> {
    while (this.isFull) {
      await (this.#open?.isDurable ?? this.#lastWrite).catch(() => {
        // Told as the failure of the journal.
      });
    }
  }

  /** SHA-256 of all that a file held at the start and got since: what has to lie on disk at the end. */
  sha256(stream: JournalStream): string {
    return (this.#files.get(stream) as JournalFile).hash.copy().digest("hex");
  }

  /** Flushes what is left. Rejects when it, or anything before it, could not be written. May be called twice. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#open?.flushNow.abort("closed");
    try {
      await this.#open?.isDurable;
      await this.#lastWrite;
    } finally {
      this.#end ??= handled(
        Promise.reject(new AssayError("ASSAY_STORE_FAILED", "the journal is closed")),
      );
      await closeAll(this.#files);
    }
  }

  #newGroup(): Group {
    const flushNow = new AbortController();
    const rows = this.#spare ?? newRows();
    this.#spare = null;
    return {
      rows,
      size: 0,
      reports: [],
      flushNow,
      isDurable: handled(this.#flushLater(flushNow)),
    };
  }

  async #flushLater({ signal }: AbortController): Promise<void> {
    await this.#clock.sleep(maxDelayMs, signal).catch(() => {
      // Woken early: the group is full, or the journal closes.
    });
    await this.#lastWrite;
    const group = this.#open;
    this.#open = null;
    this.#lastWrite = group === null ? Promise.resolve() : this.#write(group);
    await this.#lastWrite;
  }

  async #write({ rows, size, reports }: Group): Promise<void> {
    try {
      for (const [stream, { writer, hash }] of this.#files) {
        const { blocks } = rows[stream];
        if (blocks.length === 0) continue;
        for (const block of blocks) {
          await writer.append(block);
          hash.update(block);
        }
        await writer.sync();
      }
    } catch (thrown) {
      this.#end ??= handled(Promise.reject(thrown));
      this.#fail(thrown);
      throw thrown;
    } finally {
      this.#unflushedSize -= size;
    }
    for (const stream of journalStreams) rows[stream].clear();
    this.#spare = rows;
    for (const report of reports) report();
  }
}

interface JournalFile {
  readonly writer: LineWriter;
  readonly hash: Hash;
}

type GroupRows = Readonly<Record<JournalStream, RowBlocks>>;

function newRows(): GroupRows {
  return {
    evidence: new RowBlocks(),
    attempts: new RowBlocks(),
    trials: new RowBlocks(),
    scores: new RowBlocks(),
  };
}

/** Stream by stream: to look each up by its name costs as much as to take a row. Gives about how many bytes were added. */
function addRows(to: GroupRows, { evidence, attempts, trials, scores }: JournalRows): number {
  return (
    to.evidence.add(evidence) +
    to.attempts.add(attempts) +
    to.trials.add(trials) +
    to.scores.add(scores)
  );
}

interface Group {
  readonly rows: GroupRows;
  /** About how many bytes. */
  size: number;
  /** Called when all is on disk. */
  readonly reports: (() => void)[];
  readonly flushNow: AbortController;
  readonly isDurable: Promise<void>;
}

/** One whose rejection is told elsewhere: whoever does not await it is not told again. */
function handled(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}

async function closeAll(files: ReadonlyMap<JournalStream, JournalFile>): Promise<void> {
  const closed = await Promise.allSettled([...files.values()].map(({ writer }) => writer.close()));
  const failed = closed.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
