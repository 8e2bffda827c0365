import { basename, join, posix } from "node:path";

import type { CommandResult, VerifierRequest, VerifierSandbox } from "../../contracts/evidence.ts";
import type { FileStore } from "../../contracts/files.ts";
import type { ExecResult, Sandbox, SandboxMount } from "../../contracts/sandbox.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { overlay } from "./overlay.ts";

export type SandboxedRequest = VerifierRequest & { readonly sandbox: VerifierSandbox };

export interface CopyPlaces {
  /** Private, for this command alone. */
  readonly folder: string;
  /** The copy of the evidence, in that folder. */
  readonly work: string;
}

const workdir = "/workspace";
const keptOutputBytes = 256 * 1024;
const maxCollectedBytes = 1024 * 1024;
/** Each is a mount of its own. */
const maxOverlayFiles = 500;
/** Beside the time of the command: copying in and out. */
const spareMs = 10 * 60_000;

/**
 * Runs a command on the copy in a sandbox of its own. The files laid over are mounted read-only, one by one: neither the
 * command nor what it runs of the agent's can change or remove them, and their folders can be written as elsewhere.
 */
export async function runSandboxed(
  { folder, work }: CopyPlaces,
  request: SandboxedRequest,
  files: FileStore,
): Promise<CommandResult> {
  const { sandbox: given, timeoutMs = 0, signal } = request;
  const mounts = await layOver({ folder, work }, request, files);
  const options = signal === undefined ? {} : { signal };
  const sandbox = await given.provider.create(
    { ...given.spec, workdir, user: "0", mounts, lifetimeMs: timeoutMs + spareMs },
    options,
  );
  try {
    await sandbox.upload(work, workdir, { ...options, keepLinks: true });
    const problem = await whyNotStartable(sandbox, request);
    if (problem !== null) return { ...blank(sandbox), ...problem };
    const result = await sandbox.exec({
      argv: request.command,
      cwd: placeOf(request.cwd),
      env: request.env ?? {},
      stdout: { keepBytes: keptOutputBytes },
      stderr: { keepBytes: keptOutputBytes },
      ...(request.timeoutMs === undefined ? {} : { timeoutMs: request.timeoutMs }),
      ...options,
    });
    return await resultOf(sandbox, result, { request, folder, files });
  } finally {
    await sandbox.stop();
  }
}

/** Puts blank files into the copy, and those laid over beside it, where they are mounted from. */
async function layOver(
  { folder, work }: CopyPlaces,
  { overlayFiles = {}, blankFiles = [] }: VerifierRequest,
  files: FileStore,
): Promise<readonly SandboxMount[]> {
  const blanks = new Set(blankFiles.map((path) => posix.normalize(path)));
  const laidOver = Object.entries(overlayFiles).filter(
    ([path]) => !blanks.has(posix.normalize(path)),
  );
  if (laidOver.length > maxOverlayFiles) {
    throw new AssayError(
      "ASSAY_CONFIG_INVALID",
      `${laidOver.length} files are to be laid over in a sandbox, and at most ${maxOverlayFiles} can be`,
      { remedy: "Put them into the image, or into an archive that the command unpacks." },
    );
  }
  const empty = [...laidOver.map(([path]) => path), ...blanks].map((path) => [path, ""] as const);
  // As elsewhere: whatever stands in the way of one is replaced.
  await overlay(files, work, Object.fromEntries(empty));
  const beside = join(folder, "held-out");
  await files.makePrivateDirectory(beside);
  const mounts: SandboxMount[] = [];
  for (const [index, [path, data]] of laidOver.entries()) {
    const source = join(beside, String(index));
    await files.writeNew(source, [typeof data === "string" ? Buffer.from(data) : data], {
      isDurable: false,
    });
    await files.remove(join(work, path));
    mounts.push({ source, target: placeOf(path) });
  }
  return mounts;
}

function placeOf(path = "."): string {
  return posix.join(workdir, path);
}

type Unstartable = Pick<CommandResult, "spawnError" | "spawnErrorCode">;

/** Asked before anything of the agent's has run: afterwards it may be the agent who took the program away. */
async function whyNotStartable(
  sandbox: Sandbox,
  { command: [program], cwd }: VerifierRequest,
): Promise<Unstartable | null> {
  const folder = placeOf(cwd);
  const asked = await sandbox.exec({
    argv: ["sh", "-c", askProgram, "sh", folder, program],
    cwd: "/",
    timeoutMs: 60_000,
  });
  if (asked.ending !== "exited")
    throw new AssayError("ASSAY_SANDBOX_FAILED", `${sandbox.name} ended before the verifier began`);
  const shown = JSON.stringify(program);
  const where = `in the image "${sandbox.spec.image.reference}"`;
  switch (asked.exitCode) {
    case 0:
      return null;
    case 3:
      return { spawnError: `"${cwd}" is no directory of the copy`, spawnErrorCode: "ENOENT" };
    case 4:
      return { spawnError: `${shown} does not exist ${where}`, spawnErrorCode: "ENOENT" };
    case 5:
      return { spawnError: `${shown} may not be run (EACCES)`, spawnErrorCode: "EACCES" };
    default:
      return { spawnError: `${shown} was not found on PATH ${where}`, spawnErrorCode: "ENOENT" };
  }
}

const askProgram = `
cd "$1" 2>/dev/null || exit 3
case $2 in
*/*) [ -e "$2" ] || exit 4
  [ -f "$2" ] && [ -x "$2" ] || exit 5 ;;
*) command -v -- "$2" >/dev/null 2>&1 || exit 6 ;;
esac`;

function blank({ record }: Sandbox): CommandResult {
  return {
    exitCode: null,
    stdout: "",
    stderr: "",
    isTimedOut: false,
    spawnError: null,
    spawnErrorCode: null,
    isOk: false,
    collected: {},
    uncollectable: [],
    sandbox: record,
  };
}

interface Collection {
  readonly request: SandboxedRequest;
  readonly folder: string;
  readonly files: FileStore;
}

async function resultOf(
  sandbox: Sandbox,
  { ending, exitCode, stdout, stderr }: ExecResult,
  collection: Collection,
): Promise<CommandResult> {
  const said = { ...blank(sandbox), exitCode, stdout: stdout.text, stderr: stderr.text };
  switch (ending) {
    case "cancelled":
      throw new AssayError("ASSAY_CANCELLED", "the verifier command was cancelled");
    case "vanished":
      throw new AssayError(
        "ASSAY_SANDBOX_FAILED",
        `${sandbox.name} was removed under the verifier`,
      );
    case "died":
      // What the agent left may do that; it must not leave the average by it.
      return { ...said, lost: "the container ended under the verifier" };
    case "timed_out":
      return { ...said, isTimedOut: true };
    case "oom_killed":
    case "exited":
      return {
        ...said,
        isOk: ending === "exited" && exitCode === 0,
        ...(await collect(sandbox, collection)),
      };
  }
}

/** Only small regular files: the command may have put anything there. */
async function collect(
  sandbox: Sandbox,
  { request, folder, files }: Collection,
): Promise<Pick<CommandResult, "collected" | "uncollectable">> {
  const collected: [string, string][] = [];
  const uncollectable: string[] = [];
  for (const [index, path] of (request.collect ?? []).entries()) {
    const into = join(folder, `collected-${index}`);
    const bounds = { maxBytes: maxCollectedBytes, maxEntries: 2 };
    const facts = await sandbox.download(placeOf(path), into, bounds);
    if (!facts.isFound) continue;
    const file = join(into, basename(path));
    const isWhole = !facts.isTruncated && (await files.stat(file))?.kind === "file";
    if (!isWhole) uncollectable.push(path);
    else collected.push([path, new TextDecoder().decode(await files.readRegular(file))]);
  }
  return { collected: Object.fromEntries(collected), uncollectable };
}
