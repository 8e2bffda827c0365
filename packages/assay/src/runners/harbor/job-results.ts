import path from "node:path";

import type { Logger } from "../../contracts/clock.ts";
import type { FileStore } from "../../contracts/files.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { type HarborResult, maxResultBytes, parseResult } from "./read-result.ts";
import { errorOf } from "./trial-error.ts";

export interface FoundResult {
  readonly result: HarborResult;
  /** The trial's folder, absolute. */
  readonly directory: string;
}

export interface JobResultsOptions {
  /** The job's folder; it need not be there yet. */
  readonly directory: string;
  readonly files: Pick<FileStore, "stat" | "list" | "readRegular">;
  readonly log: Pick<Logger, "warn">;
  /** Harbor repeats what an exception ended: such a result may be replaced until the job is over. */
  readonly hasRetries: boolean;
  /** Aborted when the job was told to end: what fails from then on may fail for that. */
  readonly signal: AbortSignal;
  /** A cancelled trial counts like any other: nobody will run it again. */
  readonly keepsCancelled?: boolean;
}

/** Exceptions that no version of Harbor repeats a trial for. */
const neverRepeated = new Set([
  "AgentTimeoutError",
  "RewardFileEmptyError",
  "RewardFileNotFoundError",
  "VerifierOutputParseError",
  "VerifierTimeoutError",
]);
const cancelledError = "CancelledError";

/** Finds the results of a job, each once, while it runs and when it is over. */
export class JobResults {
  readonly #options: JobResultsOptions;
  /** Folders that nothing more is to be expected of. */
  readonly #done = new Set<string>();
  /** When the result that was met last in a folder was written. */
  readonly #met = new Map<string, number>();

  constructor(options: JobResultsOptions) {
    this.#options = options;
  }

  /** New results. One that was just written is left for the next look: Harbor may still be at its folder. */
  async *look(isOver: boolean): AsyncGenerator<FoundResult, void, undefined> {
    const { directory, files } = this.#options;
    if ((await files.stat(directory))?.kind !== "directory") return;
    for (const folder of [...(await files.list(directory))].sort()) {
      if (this.#done.has(folder)) continue;
      const facts = await files.stat(path.join(directory, folder, "result.json"));
      if (facts?.kind !== "file" || !(await this.#isOwn(folder))) continue;
      const isSettled = this.#met.get(folder) === facts.modifiedMs;
      if (isOver || isSettled) yield* this.#read(folder, { isOver, isSettled });
      if (!this.#options.signal.aborted) this.#met.set(folder, facts.modifiedMs);
    }
  }

  /** A link that leads to a trial is none: what it leads to lies elsewhere, or is here already. */
  async #isOwn(folder: string): Promise<boolean> {
    const { directory, files, log } = this.#options;
    if ((await files.stat(path.join(directory, folder)))?.kind === "directory") return true;
    this.#done.add(folder);
    log.warn(`"${folder}" in the job is a link: it is no trial of it, and is passed over`);
    return false;
  }

  async *#read(
    folder: string,
    { isOver, isSettled }: { readonly isOver: boolean; readonly isSettled: boolean },
  ): AsyncGenerator<FoundResult, void, undefined> {
    const { directory, log, hasRetries, signal, keepsCancelled = false } = this.#options;
    const found = await this.#parse(folder, isOver);
    if (found === null) return;
    const error = errorOf(found, (text) => text);
    if (error !== null) {
      if (error.type === cancelledError && !keepsCancelled) {
        this.#done.add(folder);
        if (!signal.aborted) log.warn(`Harbor cancelled the trial "${folder}": it is not finished`);
        return;
      }
      if (signal.aborted && !isSettled) return;
      if (hasRetries && !isOver && !neverRepeated.has(error.type)) return;
    }
    this.#done.add(folder);
    yield { result: found, directory: path.join(directory, folder) };
  }

  /** Null for what cannot be read: it may be half written, until the job is over. */
  async #parse(folder: string, isOver: boolean): Promise<HarborResult | null> {
    const { directory, files, log } = this.#options;
    const file = path.join(directory, folder, "result.json");
    try {
      const bytes = await files.readRegular(file, { maxBytes: maxResultBytes });
      return parseResult(new TextDecoder().decode(bytes), { folder });
    } catch (thrown) {
      if (!AssayError.isInstance(thrown)) throw thrown;
      if (!isOver) return null;
      this.#done.add(folder);
      log.warn(`a result of Harbor is passed over: ${thrown.message}`);
      return null;
    }
  }
}
