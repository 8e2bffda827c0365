import path from "node:path";

import type { ProcessResult } from "../../contracts/process.ts";
import type { RunContext } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { Argv } from "./invocation.ts";
import { LogTail } from "./log-tail.ts";
import { Readiness } from "./readiness.ts";

/** Kept beside each trial that could not be produced. */
const logEndLines = 200;
const maxLogBytes = 256 * 1024 * 1024;

export interface ServersRequest {
  readonly argv: Argv;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Where the logs go. */
  readonly folder: string;
  readonly startupTimeoutMs: number;
  readonly graceMs: number;
}

/** Gym's servers: one process that starts and ends all others. */
export class GymServers {
  readonly #request: ServersRequest;
  readonly #context: RunContext;
  readonly #stop = new AbortController();
  readonly #tail: LogTail;
  readonly #readiness: Readiness;
  readonly #ready: Promise<"ready">;
  readonly #ended: Promise<ProcessResult>;

  constructor(request: ServersRequest, context: RunContext) {
    this.#request = request;
    this.#context = context;
    this.#tail = new LogTail(context.redact, { maxLines: logEndLines });
    let onReady = (): void => {};
    this.#ready = new Promise((resolve) => {
      onReady = () => resolve("ready");
    });
    this.#readiness = new Readiness(onReady);
    this.#ended = this.#run();
    // Whoever waits for it may come later.
    this.#ended.catch(() => {});
  }

  #run(): Promise<ProcessResult> {
    const { argv, cwd, env, folder, graceMs } = this.#request;
    const streamTo = (file: string) => ({
      file: path.join(folder, file),
      keepBytes: 0,
      maxBytes: maxLogBytes,
      onLine: (line: string) => {
        this.#tail.add(line);
        this.#readiness.readLine(line);
      },
    });
    return this.#context.process.run({
      argv,
      cwd,
      env,
      stdout: streamTo("gym_env.log"),
      stderr: streamTo("gym_env.stderr.log"),
      signal: this.#stop.signal,
      stopSignal: "SIGINT",
      graceMs,
    });
  }

  /** Settles when the servers end, whoever ended them. */
  get ended(): Promise<ProcessResult> {
    return this.#ended;
  }

  /** The end of what they said, for a message. */
  get lastWords(): string {
    return this.#tail.quoted;
  }

  /** More of it: the last lines of both logs, each cut. */
  get logEnd(): string {
    return this.#tail.text;
  }

  /** Throws when they end, or are not ready in time. */
  async waitUntilReady(): Promise<void> {
    const { clock, signal } = this.#context;
    const { startupTimeoutMs } = this.#request;
    const watch = new AbortController();
    const late = clock.sleep(startupTimeoutMs, AbortSignal.any([watch.signal, signal])).then(
      () => "late" as const,
      () => "cancelled" as const,
    );
    try {
      const outcome = await Promise.race([this.#ready, this.#ended, late]);
      if (outcome === "ready") return;
      if (outcome === "cancelled")
        throw new AssayError("ASSAY_CANCELLED", "cancelled while Gym's servers were starting");
      throw outcome === "late" ? this.#lateError() : this.#endedError(outcome);
    } finally {
      watch.abort();
    }
  }

  #lateError(): AssayError {
    const { waitingFor } = this.#readiness;
    const pending = waitingFor.length === 0 ? "" : `; not ready yet: ${waitingFor.join(", ")}`;
    return new AssayError(
      "ASSAY_TOOL_UNUSABLE",
      `Gym's servers were not ready after ${this.#request.startupTimeoutMs / 1000} s${pending}${this.#lastWordsText()}`,
      {
        data: { waiting_for: [...waitingFor] },
        remedy:
          "Read what they said; the first start makes an environment for each server, so raise startup_timeout_s for it.",
      },
    );
  }

  #endedError({ exitCode, signalName, spawnError }: ProcessResult): AssayError {
    const { uvVersion } = this.#readiness;
    if (uvVersion !== null) {
      return new AssayError(
        "ASSAY_TOOL_VERSION_TOO_OLD",
        `NeMo Gym needs uv ${uvVersion}, and finds another${this.#lastWordsText()}`,
        { remedy: `Install uv ${uvVersion} where gym is installed.` },
      );
    }
    const how = spawnError ?? `status ${exitCode ?? signalName}`;
    return new AssayError(
      "ASSAY_TOOL_UNUSABLE",
      `Gym's servers ended while they started, with ${how}${this.#lastWordsText()}`,
      { remedy: "Read what they said last." },
    );
  }

  #lastWordsText(): string {
    return this.lastWords === "" ? "" : `; they said last:\n${this.lastWords}`;
  }

  /** Ends them all, and returns when nothing of them is left. May be called twice. */
  async stop(): Promise<void> {
    this.#stop.abort();
    const { survivorsKilled } = await this.#ended;
    if (survivorsKilled > 0)
      this.#context.log.debug("processes of Gym had to be killed", { count: survivorsKilled });
  }
}
