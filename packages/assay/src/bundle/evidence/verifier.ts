import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { CommandResult, VerifierRequest } from "../../contracts/evidence.ts";
import type { FileStore } from "../../contracts/files.ts";
import type { ProcessCapability, ProcessResult } from "../../contracts/process.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { newToken } from "../../support/ids.ts";
import { containedPath, pathInside } from "./contained-path.ts";
import { overlay } from "./overlay.ts";
import { runSandboxed } from "./sandboxed-verifier.ts";

export interface VerifierHost {
  readonly files: FileStore;
  readonly process: ProcessCapability;
  /** Where copies are made; default the system's folder for temporary files. */
  readonly scratch?: string;
}

const keptOutputBytes = 256 * 1024;
const maxCollectedBytes = 1024 * 1024;

/** Runs a command on a private copy of `root`, which is removed whatever happens. */
export async function runVerifier(
  root: string,
  request: VerifierRequest,
  host: VerifierHost,
): Promise<CommandResult> {
  const { files } = host;
  const made = join(host.scratch ?? tmpdir(), `assay-verifier-${newToken()}`);
  await files.makePrivateDirectory(made);
  const folder = await files.realPath(made);
  try {
    const work = join(folder, "work");
    await files.copyTree(root, work, { keepInnerLinks: true });
    if (request.sandbox !== undefined)
      return await runSandboxed({ folder, work }, { ...request, sandbox: request.sandbox }, files);
    await overlay(files, work, { ...request.overlayFiles, ...blanksOf(request) });
    const result = await runCommand(work, request, host);
    return { ...resultOf(result), ...(await collect(files, work, request.collect ?? [])) };
  } finally {
    await files.remove(folder);
  }
}

/** Blank files by their paths. */
function blanksOf({ blankFiles = [] }: VerifierRequest): Readonly<Record<string, string>> {
  return Object.fromEntries(blankFiles.map((path) => [path, ""]));
}

async function runCommand(
  work: string,
  request: VerifierRequest,
  { files, process }: VerifierHost,
): Promise<ProcessResult> {
  const home = join(dirname(work), "home");
  const temporary = join(dirname(work), "tmp");
  await files.makePrivateDirectory(home);
  await files.makePrivateDirectory(temporary);
  const cwd = await containedPath(files, work, request.cwd ?? ".");
  const result = await process.run({
    argv: request.command,
    cwd,
    env: { ...process.baseEnv(), HOME: home, TMPDIR: temporary, ...request.env },
    stdout: { keepBytes: keptOutputBytes },
    stderr: { keepBytes: keptOutputBytes },
    ...(request.timeoutMs !== undefined && { timeoutMs: request.timeoutMs }),
    ...(request.signal !== undefined && { signal: request.signal }),
  });
  await process.endBelow(dirname(work));
  if (result.ending === "cancelled") {
    throw new AssayError(
      "ASSAY_CANCELLED",
      `the verifier command ${JSON.stringify(request.command[0])} was cancelled`,
    );
  }
  return result;
}

function resultOf({
  ending,
  exitCode,
  spawnError,
  spawnErrorCode,
  stdout,
  stderr,
}: ProcessResult): Omit<CommandResult, "collected" | "uncollectable"> {
  return {
    exitCode,
    stdout: stdout.text,
    stderr: stderr.text,
    isTimedOut: ending === "timed_out",
    spawnError,
    spawnErrorCode,
    isOk: ending === "exited" && exitCode === 0,
  };
}

/** Only small regular files at that very place: the command may have put a link there. */
async function collect(
  files: FileStore,
  work: string,
  paths: readonly string[],
): Promise<Pick<CommandResult, "collected" | "uncollectable">> {
  const collected: [string, string][] = [];
  const uncollectable: string[] = [];
  for (const path of paths) {
    try {
      const target = await pathInside(files, work, path);
      if (target !== join(work, path)) uncollectable.push(path);
      else if ((await files.stat(target)) !== null) {
        const bytes = await files.readRegular(target, { maxBytes: maxCollectedBytes });
        collected.push([path, new TextDecoder().decode(bytes)]);
      }
    } catch (thrown) {
      // The command made it so: a directory, more bytes than a reward has, no right to read.
      if (!AssayError.isInstance(thrown)) throw thrown;
      uncollectable.push(path);
    }
  }
  return { collected: Object.fromEntries(collected), uncollectable };
}
