import path from "node:path";

import type { ProcessResult } from "../../contracts/process.ts";
import type { RunContext } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { Argv, CollectionFiles } from "./invocation.ts";
import { LogTail } from "./log-tail.ts";
import type { GymServers } from "./servers.ts";

const lookMs = 200;
/** A rollout holds all that was said in it. */
const maxRowBytes = 64 * 1024 * 1024;

/** The files of one job; Gym names those beside the rollouts after them. */
export interface JobFiles extends CollectionFiles {
  readonly failures: string;
  readonly aggregates: string;
}

export function jobFiles(folder: string, name: string): JobFiles {
  const stem = path.join(folder, `rollouts${name}`);
  return {
    input: path.join(folder, `gym_input${name}.jsonl`),
    rollouts: `${stem}.jsonl`,
    failures: `${stem}_failures.jsonl`,
    aggregates: `${stem}_aggregate_metrics.json`,
  };
}

export interface CollectionRequest {
  readonly argv: Argv;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly files: JobFiles;
  /** Where the logs go, and what tells them from those of other jobs. */
  readonly folder: string;
  readonly name: string;
  readonly timeoutMs: number | null;
  readonly servers: GymServers;
}

/** One collection of rollouts by Gym's servers. */
export class Collection {
  readonly #request: CollectionRequest;
  readonly #context: RunContext;
  readonly #tail: LogTail;
  readonly #stop = new AbortController();
  #result: ProcessResult | null = null;
  #haveServersEnded = false;

  constructor(request: CollectionRequest, context: RunContext) {
    this.#request = request;
    this.#context = context;
    this.#tail = new LogTail(context.redact);
  }

  /** Lines of the rollouts file as they appear, until Gym ends. Whoever stops reading ends it. */
  async *lines(): AsyncGenerator<string> {
    const { closing, files, log } = this.#context;
    const { rollouts } = this.#request.files;
    const halt = () => this.#stop.abort();
    closing.addEventListener("abort", halt, { once: true });
    if (closing.aborted) halt();
    const ended = this.#run();
    ended.catch(() => {});
    try {
      const batches = files.followLines(rollouts, {
        pause: () => this.#pause(ended),
        maxLineBytes: maxRowBytes,
        onTorn: () =>
          log.warn("the last line of the rollouts has no end: Gym was stopped while it wrote it", {
            file: path.basename(rollouts),
          }),
      });
      for await (const lines of batches) yield* lines;
      this.#result = await ended;
    } finally {
      closing.removeEventListener("abort", halt);
      halt();
      await ended.catch(() => {});
    }
  }

  async #run(): Promise<ProcessResult> {
    const { argv, cwd, env, folder, name, timeoutMs, servers } = this.#request;
    const { process, limits } = this.#context;
    // Without its servers Gym asks again and again, for ever.
    const giveUp = () => {
      this.#haveServersEnded = true;
      this.#stop.abort();
    };
    servers.ended.then(giveUp, giveUp);
    return await process.run({
      argv,
      cwd,
      env,
      stdout: { file: path.join(folder, `gym_eval${name}.stdout.log`), keepBytes: 0 },
      stderr: {
        file: path.join(folder, `gym_eval${name}.stderr.log`),
        keepBytes: 0,
        onLine: (line) => this.#tail.add(line),
      },
      signal: this.#stop.signal,
      stopSignal: "SIGINT",
      graceMs: limits.graceMs,
      ...(timeoutMs === null ? {} : { timeoutMs }),
    });
  }

  /** True once Gym has ended; what it wrote last is there by then. */
  async #pause(ended: Promise<unknown>): Promise<boolean> {
    const watch = new AbortController();
    const due = this.#context.clock.sleep(lookMs, watch.signal).then(
      () => false,
      () => true,
    );
    const isOver = await Promise.race([due, ended.then(() => true)]);
    watch.abort();
    return isOver;
  }

  /** Why it did not end well; null when it did, or was told to end. For after the last line. */
  get problem(): AssayError | null {
    const { servers, timeoutMs } = this.#request;
    if (this.#result === null || this.#context.closing.aborted) return null;
    const { ending, exitCode, signalName, spawnError } = this.#result;
    if (ending === "exited" && exitCode === 0) return null;
    if (this.#haveServersEnded)
      return failed(`Gym's servers ended while rollouts were collected`, servers.lastWords);
    if (ending === "timed_out")
      return failed(
        `the collection of rollouts took more than ${Number(timeoutMs) / 1000} s`,
        this.#tail.quoted,
      );
    const how = spawnError ?? `status ${exitCode ?? signalName}`;
    const said = [this.#tail.quoted, servers.lastWords].filter((text) => text !== "");
    return failed(
      `Gym's collection of rollouts ended with ${how}`,
      said.join("\nits servers said last:\n"),
    );
  }
}

function failed(what: string, lastWords: string): AssayError {
  return new AssayError(
    "ASSAY_RUNNER_FAILED",
    lastWords === "" ? what : `${what}; it said last:\n${lastWords}`,
    {
      remedy:
        "Trials that had ended are kept: mend the cause and go on with --resume. With the option work_dir Gym's logs are kept.",
    },
  );
}
