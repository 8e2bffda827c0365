import path from "node:path";

import type { ProcessRequest, ProcessResult } from "../../../contracts/process.ts";
import type { RunContext } from "../../../contracts/runner.ts";

/** A program that works through many trials and leaves each in files. */
export interface Backend<T> {
  readonly command: Pick<ProcessRequest, "argv" | "cwd" | "env" | "stopSignal">;
  /** A new private directory: its output goes there, to `stdout.txt` and `stderr.txt`, up to a bound. */
  readonly logsDirectory: string;
  /** What it has finished since the last look. Called again and again while it works, and once more after its end. */
  readonly look: (isOver: boolean) => AsyncIterable<T> | Iterable<T>;
  /** Each line of its output. */
  readonly onLine?: (line: string) => void;
  /** Milliseconds between two looks. Default 250. */
  readonly pauseMs?: number;
}

const maxLogBytes = 16 * 1024 * 1024;
const keptBytes = 64 * 1024;

type Context = Pick<RunContext, "process" | "files" | "clock" | "signal" | "limits">;

/**
 * Runs a backend and yields what it finishes while it works, so that a run that is killed has it by then. Returns how it
 * ended. The whole process tree is ended when the run is cancelled, and when the reader stops.
 */
export async function* followBackend<T>(
  { command, logsDirectory, look, onLine, pauseMs = 250 }: Backend<T>,
  { process, files, clock, signal, limits }: Context,
): AsyncGenerator<T, ProcessResult, void> {
  await files.makePrivateDirectory(logsDirectory);
  const stop = new AbortController();
  const over = new AbortController();
  const log = (name: string) => ({
    file: path.join(logsDirectory, name),
    maxBytes: maxLogBytes,
    keepBytes: keptBytes,
    ...(onLine === undefined ? {} : { onLine }),
  });
  const ending = process
    .run({
      ...command,
      stdout: log("stdout.txt"),
      stderr: log("stderr.txt"),
      graceMs: limits.graceMs,
      signal: AbortSignal.any([signal, stop.signal]),
    })
    .finally(() => over.abort("the backend ended"));
  // Awaited below; until then a failure is nobody's.
  ending.catch(() => {});
  try {
    while (!over.signal.aborted) {
      yield* look(false);
      await clock.sleep(pauseMs, over.signal).catch(() => {});
    }
    const result = await ending;
    yield* look(true);
    return result;
  } finally {
    stop.abort("nobody reads any more");
    await ending.catch(() => {});
  }
}
