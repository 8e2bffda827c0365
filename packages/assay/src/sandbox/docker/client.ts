import type { FileStore } from "../../contracts/files.ts";
import type { ProcessCapability, ProcessRequest, ProcessResult } from "../../contracts/process.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { cutText } from "../../support/cut-text.ts";

/** Characters of what an engine says that an error repeats: it may name a path of any length. */
const maxComplaint = 1000;

/** What the docker command reads of the environment: where the engine is, and how to get to it. */
export const dockerVariables = [
  "HOME",
  "DOCKER_HOST",
  "DOCKER_CONTEXT",
  "DOCKER_CONFIG",
  "DOCKER_CERT_PATH",
  "DOCKER_TLS_VERIFY",
  "DOCKER_API_VERSION",
  "DOCKER_BUILDKIT",
  "CONTAINER_HOST",
  "CONTAINERS_CONF",
  "XDG_RUNTIME_DIR",
  "SSH_AUTH_SOCK",
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "NO_PROXY",
] as const;

export interface DockerAccess {
  /** The docker command, by absolute path. */
  readonly program: string;
  readonly process: ProcessCapability;
  readonly files: FileStore;
  /** A private directory. */
  readonly scratch: string;
}

export type CallOptions = Pick<
  ProcessRequest,
  "stdin" | "stdout" | "stderr" | "timeoutMs" | "signal"
> & {
  /** Laid over the environment of the docker command. */
  readonly env?: Readonly<Record<string, string>>;
};

const defaultTimeoutMs = 120_000;
const shownBytes = 16 * 1024;

/** Speaks to an engine through the docker command: contexts, credentials and remote engines are its matter. */
export class DockerClient {
  readonly access: DockerAccess;
  readonly env: Readonly<Record<string, string>>;

  constructor(access: DockerAccess) {
    this.access = access;
    this.env = { ...access.process.baseEnv(dockerVariables), BUILDKIT_PROGRESS: "plain" };
  }

  /** How the command ended; thrown is only what `ProcessCapability` throws. */
  async run(args: readonly string[], options: CallOptions = {}): Promise<ProcessResult> {
    const { program, process, scratch } = this.access;
    const { env, timeoutMs = defaultTimeoutMs, ...rest } = options;
    const kept = { keepBytes: shownBytes };
    return await process.run({
      stdout: { keepBytes: 1024 * 1024 },
      stderr: kept,
      ...rest,
      ...(timeoutMs === Number.POSITIVE_INFINITY ? {} : { timeoutMs }),
      argv: [program, ...args],
      cwd: scratch,
      env: { ...this.env, ...env },
    });
  }

  /** What the command answered. Throws `ASSAY_SANDBOX_FAILED`, or `ASSAY_CANCELLED`, when it did not. */
  async answer(what: string, args: readonly string[], options?: CallOptions): Promise<string> {
    const result = await this.run(args, options);
    if (!isGood(result)) throw failure(what, result);
    return result.stdout.text.trim();
  }
}

export function isGood({ ending, exitCode }: ProcessResult): boolean {
  return ending === "exited" && exitCode === 0;
}

/** The engine, or a container of it, could not do what was asked. */
export function failure(what: string, result: ProcessResult): AssayError {
  if (result.ending === "cancelled")
    return new AssayError("ASSAY_CANCELLED", `${what}: it was cancelled`);
  const said = complaintOf(result);
  const remedy = remedyFor(said);
  return new AssayError("ASSAY_SANDBOX_FAILED", `${what}: ${cutText(said, maxComplaint)}`, {
    ...(remedy === null ? {} : { remedy }),
    data: { exitCode: result.exitCode, ending: result.ending },
  });
}

/** What the docker command says went wrong, without the hints that it adds. */
export function complaintOf({ ending, stdout, stderr, spawnError }: ProcessResult): string {
  if (ending === "timed_out") return "the engine did not answer in time";
  // Older engines tell of a command that cannot be run where its output would be.
  const text = stderr.text.trim() === "" ? stdout.text : stderr.text;
  const lines = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !isHint(line));
  const said = lines.slice(0, 5).join(" ");
  return said === "" ? (spawnError ?? `the docker command ended without a word (${ending})`) : said;
}

function isHint(line: string): boolean {
  return /^(Run 'docker |See 'docker |WARNING: |Emulate Docker CLI)/.test(line);
}

function remedyFor(said: string): string | null {
  if (/no space left on device/i.test(said))
    return "The engine's disk is full: `docker system df` shows what takes the space.";
  if (isEngineGone(said)) return "Start the Docker engine, and check DOCKER_HOST.";
  if (/exec: "sh"/.test(said)) return "The image needs `sh` and `sleep`.";
  if (/storage-opt/.test(said))
    return "This engine cannot limit what a container writes: leave the disk limit out.";
  return null;
}

/** Nobody answers where the engine should be. */
export function isEngineGone(said: string): boolean {
  return /Cannot connect to the Docker daemon|error during connect|failed to connect to the docker API|connect: (connection refused|no such file)|unable to connect to Podman/i.test(
    said,
  );
}

export function isUnknownContainer(said: string): boolean {
  return /No such (container|object)|no container with (name|ID)/i.test(said);
}
