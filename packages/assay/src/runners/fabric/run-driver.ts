import path from "node:path";

import type { ProcessResult } from "../../contracts/process.ts";
import type { AttemptContext } from "../define/attempt-context.ts";
import { formatOrder } from "./invocation.ts";
import { DriverReader, maxMessageBytes } from "./messages.ts";
import type { PreparedTrial } from "./prepare.ts";

const maxLogBytes = 32 * 1024 * 1024;
const tailCharacters = 2000;

/** How the driver ended, wherever it ran. */
export interface DriverEnding {
  readonly ending: ProcessResult["ending"];
  readonly exitCode: number | null;
  readonly signalName: string | null;
  readonly spawnError: string | null;
  readonly stderrTail: string;
  /** What was printed was longer than what is kept of it. */
  readonly isTruncated: boolean;
  readonly survivorsKilled: number;
  readonly reader: DriverReader;
}

/** Runs the driver to its end, or until the attempt is stopped; then the whole tree of its processes is ended. */
export async function runDriver(
  { argv, env, order, places }: PreparedTrial,
  context: AttemptContext<unknown>,
): Promise<DriverEnding> {
  const { process, graceMs, signal } = context;
  const sinks = driverSinks(order.token, places.logs, context);
  const result = await process.run({
    argv,
    cwd: places.directory,
    env,
    stdin: formatOrder(order),
    stdout: sinks.stdout,
    stderr: sinks.stderr,
    graceMs,
    signal,
  });
  const { ending, exitCode, signalName, spawnError, survivorsKilled } = result;
  return {
    ...{ ending, exitCode, signalName, spawnError, survivorsKilled },
    ...sinks.ended(result),
  };
}

/** Where the driver's streams go: to files while they come, its answers to a reader. */
export function driverSinks(
  token: string,
  logs: string,
  { evidence, redact }: Pick<AttemptContext<unknown>, "evidence" | "redact">,
) {
  const reader = new DriverReader(token);
  let stderrTail = "";
  evidence.add("logs", {
    kind: "logs",
    format: "dir",
    ref: logs,
    metadata: { primary_log: "fabric-stderr.txt" },
  });
  const fileOf = (name: string) => ({
    file: path.join(logs, name),
    keepBytes: 0,
    maxBytes: maxLogBytes,
    maxLineBytes: maxMessageBytes,
  });
  return {
    stdout: { ...fileOf("driver.jsonl"), onLine: (line: string) => reader.readLine(line) },
    stderr: {
      ...fileOf("fabric-stderr.txt"),
      onLine: (line: string) => {
        stderrTail = redact(`${stderrTail}${line}\n`).slice(-tailCharacters);
      },
    },
    ended: ({ stdout, stderr }: Pick<ProcessResult, "stdout" | "stderr">) => ({
      reader,
      stderrTail,
      isTruncated: stdout.isTruncated || stderr.isTruncated,
    }),
  };
}
