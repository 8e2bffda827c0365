import { writeSync } from "node:fs";

/** The side of a child that is told its work on stdin and answers on file descriptor 3. */
export interface ServedProcess {
  /** Everything on stdin. */
  readonly instructions: Promise<string>;
  /** Writes one line, whole, before it returns: it is told even when the process ends or hangs right after. */
  send(line: string): void;
  /** The process was asked to end (SIGTERM). */
  onStop(listener: () => void): void;
  /** Something was thrown that no code awaits. */
  onStrayError(listener: (thrown: unknown) => void): void;
  /** Nothing is left to wait for. */
  onIdle(listener: () => void): void;
  exit(): never;
}

const messages = 3;

export function servedProcess(): ServedProcess {
  // As they are now: the code that is run here may put others in their place.
  const exit = process.exit.bind(process);
  return {
    instructions: readAll(process.stdin),
    send: (line) => writeAll(Buffer.from(`${line}\n`)),
    onStop: (listener) => void process.on("SIGTERM", listener),
    onStrayError: (listener) => {
      process.on("uncaughtException", listener);
      process.on("unhandledRejection", listener);
    },
    onIdle: (listener) => void process.on("beforeExit", listener),
    exit: () => exit(0),
  };
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function writeAll(bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(messages, bytes, written, bytes.length - written);
}
