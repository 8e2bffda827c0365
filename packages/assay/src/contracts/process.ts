/** One process to run. There is no shell: the argv is given to the system as it is. */
export interface ProcessRequest {
  /** The program, by absolute path or name on `env.PATH`, and its arguments. Never a secret. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The whole environment of the child; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to stdin, which is closed after it. Chunks are taken as fast as they are read, and no further once it ended. */
  readonly stdin?: string | AsyncIterable<Uint8Array>;
  readonly stdout?: OutputSink;
  readonly stderr?: OutputSink;
  /** Opens file descriptor 3 for the child, for messages apart from its output; without it there is none. */
  readonly messages?: OutputSink;
  readonly timeoutMs?: number;
  /** Milliseconds between asking the tree to end and killing it (SIGKILL). Default 2000. */
  readonly graceMs?: number;
  /**
   * How it is asked to end: SIGTERM to the whole tree, the default, or SIGINT to the program alone, for one that ends
   * what it started in an order of its own. What is left soon after its end is killed then.
   */
  readonly stopSignal?: StopSignalName;
  /** Ends the whole tree when aborted. */
  readonly signal?: AbortSignal;
}

export type StopSignalName = "SIGTERM" | "SIGINT";

/** Where an output stream goes. All may be set. */
export interface OutputSink {
  /**
   * Streamed to this new private file (0600) up to `maxBytes`, cut at a whole character; more is dropped and counted.
   * Whatever is cut, the file, the text that is kept or a line, ends with the mark of cut texts.
   */
  readonly file?: string;
  /** Keep at most this many bytes in memory as text: the head, cut at a whole character. Default 64 KiB; 0 keeps none. */
  readonly keepBytes?: number;
  /** Bytes that reach the file. Default 64 MiB. */
  readonly maxBytes?: number;
  /** Called with each whole line (UTF-8, without its newline) as it arrives. */
  readonly onLine?: (line: string) => void;
  /** Longer lines are cut for `onLine`. Default 1 MiB. */
  readonly maxLineBytes?: number;
  /** Takes all bytes, one chunk after the other; the process waits for it. */
  readonly onChunk?: (chunk: Uint8Array) => Promise<void>;
}

export interface OutputFacts {
  /** The head that was kept. */
  readonly text: string;
  readonly totalBytes: number;
  /** The file or the kept text (if any was to be kept) is shorter than what was written. */
  readonly isTruncated: boolean;
}

/** A result is returned, never thrown: who is to blame is the caller's decision. Thrown are output that cannot be stored, and what `onLine`, `onChunk` and the chunks of stdin throw. */
export interface ProcessResult {
  readonly ending: "exited" | "signalled" | "timed_out" | "cancelled" | "spawn_failed";
  readonly exitCode: number | null;
  readonly signalName: string | null;
  /** Why it could not be started, for people. */
  readonly spawnError: string | null;
  /** The system's code for that (`ENOENT`, `EACCES`, `EAGAIN`), where it gave one. */
  readonly spawnErrorCode: string | null;
  readonly stdout: OutputFacts;
  readonly stderr: OutputFacts;
  readonly durationMs: number;
  /** Processes of the tree that had to be killed (SIGKILL): after the grace, or left behind by one that ended by itself. */
  readonly survivorsKilled: number;
}

/** The only way to start a program. Every child carries the run's token in its environment, so that it can be found again. */
export interface ProcessCapability {
  run(request: ProcessRequest): Promise<ProcessResult>;
  /** The absolute path of a program on `path` (a PATH value, default the host's), or null. A name with a slash is resolved against `cwd`. */
  find(
    program: string,
    options?: { readonly path?: string; readonly cwd?: string },
  ): Promise<string | null>;
  /** Values of the host's environment that children may have: PATH, LANG, LC_ALL, TZ, TMPDIR, and the names asked for. */
  baseEnv(inherit?: readonly string[]): Readonly<Record<string, string>>;
  /**
   * A TCP port of 127.0.0.1 that nothing listens on, for a server that is to be started: the one wanted, or any. Null
   * when that one is taken.
   */
  freePort(wanted?: number): Promise<number | null>;
  /**
   * Kills what still lives below a private directory (an absolute path without links) when its work is over, and answers
   * how many processes there were: those whose working directory, program or root lies there or that write to a file
   * there, and what descends from them. Linux only; elsewhere nothing is found.
   */
  endBelow(directory: string): Promise<number>;
  /**
   * Starts a program apart from this process, without output, should this process end before the answer is called: it
   * removes what signals do not reach. Not after SIGKILL.
   */
  atExit(command: PartingCommand): () => void;
}

export type PartingCommand = Pick<ProcessRequest, "argv" | "env">;
