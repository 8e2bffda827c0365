/** A stream that text is written to. */
export interface TextOutput {
  readonly isTTY: boolean;
  /** Characters in a line of the terminal. */
  readonly columns: number;
  write(text: string): void;
}

export type StopSignal = "SIGINT" | "SIGTERM";

/** All that the command line has of its process. */
export interface CliIo {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Milliseconds of a monotonic clock. */
  monotonicMs(): number;
  /** From now on nothing but `stdout.write` reaches the standard output: what suites and agents print goes to stderr. */
  claimStdout(): void;
  /** Calls the listener at each of the signals until the function given back is called. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
  /** Calls the listener when the process has nothing left to wait for. */
  onIdle(listener: () => void): () => void;
  /** Ends the process at once; exit handlers still run. */
  exit(code: number): never;
}

const lineWidth = 80;

export interface ProcessIo extends CliIo {
  /** Resolves when all that was written to stdout has left the process, or nobody reads it. */
  flush(): Promise<void>;
}

/** The process that the command was started in. A reader that closes the pipe early is no error. */
export function processIo(): ProcessIo {
  const { stdout, stderr } = process;
  for (const stream of [stdout, stderr]) stream.on("error", ignoreClosedPipe);
  const write = stdout.write.bind(stdout);
  return {
    stdout: outputOf(stdout, (text) => void write(text)),
    stderr: outputOf(stderr, (text) => void stderr.write(text)),
    env: process.env,
    cwd: process.cwd(),
    monotonicMs: () => performance.now(),
    claimStdout: () => {
      stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
    },
    onSignal: (listener) => subscribe(["SIGINT", "SIGTERM"], listener as (name: string) => void),
    onIdle: (listener) => subscribe(["beforeExit"], () => listener()),
    exit: (code) => process.exit(code),
    flush: () => new Promise((resolve) => write("", () => resolve())),
  };
}

function outputOf(stream: NodeJS.WriteStream, write: (text: string) => void): TextOutput {
  return {
    write,
    get isTTY() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.isTTY === true ? (stream.columns ?? 0) : lineWidth;
    },
  };
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

function subscribe(events: readonly string[], listener: (name: string) => void): () => void {
  for (const event of events) process.on(event, listener);
  return () => {
    for (const event of events) process.off(event, listener);
  };
}
