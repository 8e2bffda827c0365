import { writeSync } from "node:fs";

import { systemCodeOf } from "../files/system-errors.ts";
import { within } from "./within.ts";

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
  /** Ends the process when its output has been taken. */
  end(): Promise<void>;
}

const messages = 3;
/** The reader never stops by itself: who waits this long has made its output something else. */
const flushMs = 5000;

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
    end: async () => {
      const flushing = [process.stdout, process.stderr].map(flushed);
      await within(Promise.allSettled(flushing), flushMs);
      exit(0);
    },
  };
}

/** Output to a pipe is queued when its reader is slower. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write("", () => resolve());
  });
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function writeAll(bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length; ) written += writeSome(bytes.subarray(written));
}

const never = new Int32Array(new SharedArrayBuffer(4));

/** The descriptor may have been made one that does not wait for its reader: then this does. */
function writeSome(bytes: Uint8Array): number {
  try {
    return writeSync(messages, bytes);
  } catch (thrown) {
    if (systemCodeOf(thrown) !== "EAGAIN") throw thrown;
    Atomics.wait(never, 0, 0, 1);
    return 0;
  }
}
