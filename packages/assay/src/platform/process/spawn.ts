import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { stat } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";

import { messageOf } from "../../errors/assay-error.ts";
import { systemCodeOf } from "../files/system-errors.ts";
import { findProgram } from "./find-program.ts";

export interface SpawnRequest {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string | AsyncIterable<Uint8Array> | undefined;
  /** Opens file descriptor 3. */
  readonly hasMessages?: boolean;
}

export interface Exit {
  readonly exitCode: number | null;
  readonly signalName: string | null;
}

export interface SpawnFailure {
  /** Why, for people. */
  readonly spawnError: string;
  readonly spawnErrorCode: string | null;
}

export interface StartedProcess {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly messages: Readable | null;
  /** Resolves when stdin has been given, or nobody reads it any more. Rejects with what its chunks threw. */
  readonly input: Promise<void>;
  /** Resolves when the process itself has ended, whatever still holds its pipes. */
  readonly exit: Promise<Exit>;
}

/** Starts a process as the leader of a session of its own, or says why it could not be started. */
export async function spawn(request: SpawnRequest): Promise<StartedProcess | SpawnFailure> {
  // Loaded at the first start: it takes longer than all else that `assay --help` needs.
  const { execa } = await import("execa");
  try {
    const child = startChild(execa, request);
    if (child.pid === undefined) throw (await child).cause;
    const exit = exitOf(child);
    const input = feed(request.stdin, child.stdin);
    // Whoever waits for it may come later.
    input.catch(() => {});
    const messages = request.hasMessages === true ? (child.stdio[3] as unknown as Readable) : null;
    return { pid: child.pid, stdout: child.stdout, stderr: child.stderr, messages, input, exit };
  } catch (thrown) {
    const spawnErrorCode = systemCodeOf(thrown);
    return { spawnError: await explainSpawnError(request, thrown), spawnErrorCode };
  }
}

function startChild(
  execa: typeof import("execa").execa,
  { argv, cwd, env, stdin, hasMessages = false }: SpawnRequest,
) {
  const input = stdin === undefined ? "ignore" : "pipe";
  const [program, ...args] = argv;
  return execa(program, args, {
    cwd,
    env,
    extendEnv: false,
    detached: true,
    cleanup: false,
    forceKillAfterDelay: false,
    stdio: hasMessages ? [input, "pipe", "pipe", "pipe"] : [input, "pipe", "pipe"],
    buffer: false,
    encoding: "buffer",
    reject: false,
  });
}

/** A process need not read what it is given: execa takes the broken pipe for no error. */
async function feed(data: SpawnRequest["stdin"], stdin: Writable | null): Promise<void> {
  if (data === undefined || stdin === null) return;
  if (typeof data !== "string") {
    const closed = once(stdin, "close").catch(() => {});
    for await (const chunk of data) {
      if (!stdin.writable) return;
      if (!stdin.write(chunk)) await Promise.race([once(stdin, "drain").catch(() => {}), closed]);
    }
    stdin.end();
    return;
  }
  stdin.end(data);
}

function exitOf(child: Pick<ChildProcess, "once">): Promise<Exit> {
  return new Promise((resolve) => {
    child.once("exit", (exitCode, signalName) => resolve({ exitCode, signalName }));
  });
}

/** The system says ENOENT for a missing program and for a missing working directory alike. */
async function explainSpawnError(
  { argv, cwd, env }: SpawnRequest,
  cause: unknown,
): Promise<string> {
  const program = JSON.stringify(argv[0]);
  const code = systemCodeOf(cause);
  if (!(await isDirectory(cwd)))
    return `the working directory ${JSON.stringify(cwd)} does not exist`;
  if (code !== "ENOENT") return `${program} could not be started: ${messageOf(cause)}`;
  const found = await findProgram(argv[0], { path: env["PATH"] ?? "", cwd });
  if (found !== null) return `${program} could not be started: its interpreter does not exist`;
  return argv[0].includes("/") ? `${program} does not exist` : `${program} was not found on PATH`;
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}
