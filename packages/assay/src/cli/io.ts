import { keepHeapSmall } from "./heap.ts";
import { takeStdout } from "./own-stdout.ts";

/** A stream that text is written to. */
export interface TextOutput {
  readonly isTTY: boolean;
  /** Characters in a line of the terminal. */
  readonly columns: number;
  write(text: string): void;
}

const stopSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

export type StopSignal = (typeof stopSignals)[number];

/** All that the command line has of its process. */
export interface CliIo {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Empty when the working directory was removed. */
  readonly cwd: string;
  /** Milliseconds of a monotonic clock. */
  monotonicMs(): number;
  /**
   * From now on what suites and agents print goes to stderr. Where the system allows it that holds for the descriptor
   * too, and so for children that inherit it; elsewhere for what this process prints through Node's streams.
   */
  claimStdout(): void;
  /** From now on little memory is used for objects that nobody needs any more, at the cost of some time. */
  keepHeapSmall(): void;
  /** Calls the listener at each of the signals until the function given back is called. */
  onSignal(listener: (signal: StopSignal) => void): () => void;
  /** Calls the listener when the process has nothing left to wait for. */
  onIdle(listener: () => void): () => void;
  /** Calls the listener when the process is ended by other code than `exit`; it gives the exit code. */
  onForeignExit(listener: () => number): () => void;
  /** Gives the listener every error that no code awaits, instead of any listener before, until the function given back is called. */
  onStrayError(listener: (thrown: unknown) => void): () => void;
  /** Ends the process at once; exit handlers still run. */
  exit(code: number): never;
}

const lineWidth = 80;

export interface ProcessIo extends CliIo {
  /** Resolves when all that was written to stdout has left the process, or cannot leave it. */
  flush(): Promise<void>;
  /** Why something that was written to stdout is lost, such as `ENOSPC`; null when nothing is, or its reader has left. */
  readonly lostOutput: string | null;
}

/** The process that the command was started in. A reader that closes the pipe early is no error. */
export function processIo(): ProcessIo {
  const { stdout, stderr } = process;
  const out = brokenness(stdout);
  const err = brokenness(stderr);
  const write = stdout.write.bind(stdout);
  let own: ((text: string) => void) | null = null;
  let isOwnExit = false;
  return {
    stdout: outputOf(stdout, (text) => {
      if (out.code !== null) return;
      if (own === null) write(text);
      else out.remember(() => own?.(text));
    }),
    stderr: outputOf(stderr, (text) => void (err.code === null && stderr.write(text))),
    env: process.env,
    cwd: workingDirectory(),
    monotonicMs: () => performance.now(),
    claimStdout: () => {
      stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
      own = takeStdout();
    },
    keepHeapSmall,
    onSignal: (listener) => subscribe(stopSignals, listener as (first: unknown) => void),
    onIdle: (listener) => subscribe(["beforeExit"], () => listener()),
    onForeignExit: (listener) =>
      subscribe(["exit"], () => {
        if (!isOwnExit) sealExitCode(listener());
      }),
    onStrayError: strayErrors(),
    exit: (code) => {
      isOwnExit = true;
      sealExitCode(code);
      process.exit(code);
    },
    flush: () =>
      own === null ? new Promise((resolve) => write("", () => resolve())) : Promise.resolve(),
    get lostOutput() {
      return out.code === "EPIPE" ? null : out.code;
    },
  };
}

/** The last word: listeners of an agent, which are called later, may set another code or call `process.exit` again. */
function sealExitCode(code: number): void {
  process.exitCode = code;
  const node = process as unknown as { reallyExit?: (this: object, code: number) => never };
  const end = node.reallyExit;
  // What `process.exit` ends with. It has no other name, and the code itself cannot be fixed.
  if (end !== undefined) node.reallyExit = () => end.call(process, code);
}

interface Brokenness {
  readonly code: string | null;
  /** Does it, and remembers what it throws. */
  remember(write: () => void): void;
}

/** Remembers the first error of a stream. It is no reason to end: a run must outlive its terminal. */
function brokenness(stream: NodeJS.WriteStream): Brokenness {
  let code: string | null = null;
  const keep = (error: NodeJS.ErrnoException) => {
    code ??= error.code ?? error.name;
  };
  stream.on("error", keep);
  return {
    get code() {
      return code;
    },
    remember: (write) => {
      try {
        write();
      } catch (thrown) {
        keep(thrown instanceof Error ? thrown : new Error(String(thrown)));
      }
    },
  };
}

function workingDirectory(): string {
  try {
    return process.cwd();
  } catch {
    return "";
  }
}

function strayErrors(): CliIo["onStrayError"] {
  const listeners: ((thrown: unknown) => void)[] = [];
  const tell = (thrown: unknown) => listeners.at(-1)?.(thrown);
  return (listener) => {
    if (listeners.length === 0) subscribe(["uncaughtException", "unhandledRejection"], tell);
    listeners.push(listener);
    return () => {
      listeners.splice(listeners.lastIndexOf(listener), 1);
    };
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

function subscribe(events: readonly string[], listener: (first: unknown) => void): () => void {
  for (const event of events) process.on(event, listener);
  return () => {
    for (const event of events) process.off(event, listener);
  };
}
