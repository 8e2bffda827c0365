import path from "node:path";

import type { Clock } from "../../contracts/clock.ts";
import type {
  DownloadBounds,
  DownloadFacts,
  ExecRequest,
  ExecResult,
  Sandbox,
  SandboxSpec,
  SandboxState,
  UploadOptions,
} from "../../contracts/sandbox.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { JsonObject } from "../../support/json.ts";
import { packDirectory } from "../archive/pack.ts";
import { Unpacker } from "../archive/unpack.ts";
import { complaintOf, type DockerClient, failure, isGood, isUnknownContainer } from "./client.ts";
import { recordOf, workdirOf } from "./create-flags.ts";
import { execIn } from "./exec.ts";
import { type OomKills, stateOf } from "./state.ts";

export interface DockerSandboxOptions {
  readonly client: DockerClient;
  readonly clock: Clock;
  readonly name: string;
  readonly spec: SandboxSpec;
  /** Removes the container; called once. */
  readonly remove: () => Promise<void>;
}

/** Files are copied in any time that a disk may take. */
const copyTimeoutMs = 30 * 60_000;

export class DockerSandbox implements Sandbox {
  readonly name: string;
  readonly spec: SandboxSpec;
  readonly record: JsonObject;
  readonly #client: DockerClient;
  readonly #clock: Clock;
  readonly #remove: () => Promise<void>;
  readonly #oom: OomKills = { seen: 0 };
  #identity: Promise<FileOwner> | null = null;
  #stopping: Promise<void> | null = null;

  constructor({ client, clock, name, spec, remove }: DockerSandboxOptions) {
    this.name = name;
    this.spec = spec;
    this.record = recordOf("docker", spec);
    this.#client = client;
    this.#clock = clock;
    this.#remove = remove;
  }

  async exec(request: ExecRequest): Promise<ExecResult> {
    return await execIn(
      {
        client: this.#client,
        clock: this.#clock,
        container: this.name,
        workdir: workdirOf(this.spec),
        user: this.spec.user,
        oom: this.#oom,
      },
      request,
    );
  }

  async upload(
    hostDirectory: string,
    directory: string,
    { signal, keepLinks = false }: UploadOptions = {},
  ): Promise<void> {
    const owner = await this.fileOwner();
    await this.makeDirectory(directory);
    const what = `files could not be copied to ${directory} of ${this.name}`;
    await this.#client.answer(what, ["cp", "-", `${this.name}:${directory}`], {
      stdin: packDirectory(this.#client.access.files, hostDirectory, { ...owner, keepLinks }),
      timeoutMs: copyTimeoutMs,
      ...(signal === undefined ? {} : { signal }),
    });
  }

  async download(
    from: string,
    hostDirectory: string,
    { signal, cutSignal, ...bounds }: DownloadBounds = {},
  ): Promise<DownloadFacts> {
    const { files } = this.#client.access;
    await files.makePrivateDirectory(hostDirectory);
    const unpacker = new Unpacker(files, hostDirectory, bounds);
    const full = new AbortController();
    const cut = () => {
      unpacker.cut();
      full.abort();
    };
    if (cutSignal?.aborted === true) cut();
    cutSignal?.addEventListener("abort", cut, { once: true });
    const result = await this.#client.run(["cp", `${this.name}:${path.posix.resolve(from)}`, "-"], {
      stdout: {
        keepBytes: 0,
        onChunk: async (chunk) => {
          await unpacker.write(chunk);
          if (unpacker.isFull) full.abort();
        },
      },
      timeoutMs: copyTimeoutMs,
      signal: signal === undefined ? full.signal : AbortSignal.any([signal, full.signal]),
    });
    cutSignal?.removeEventListener("abort", cut);
    if (unpacker.isFull) return await unpacker.end();
    // At a path that it cannot read the engine gives up: Docker's command ends well then, Podman's does not.
    if (isGood(result) || isTooLongPath(complaintOf(result)))
      return await unpacker.end({ mayBeCut: true });
    await unpacker.cancel();
    if (isMissingPath(complaintOf(result))) return nothing;
    throw failure(`${from} of ${this.name} could not be copied`, result);
  }

  async state(): Promise<SandboxState> {
    return await stateOf(this.#client, this.name, this.#oom);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#remove().catch((thrown: unknown) => {
      // The next call tries again.
      this.#stopping = null;
      throw thrown;
    });
    return this.#stopping;
  }

  /** As whom its commands run: whose the files are that they are given. */
  fileOwner(): Promise<FileOwner> {
    this.#identity ??= this.#askOwner();
    return this.#identity;
  }

  async #askOwner(): Promise<FileOwner> {
    const known = numericOwner(this.spec.user);
    if (known !== null) return known;
    const answer = await this.exec({
      argv: ["sh", "-c", "id -u && id -g"],
      cwd: "/",
      timeoutMs: 60_000,
    });
    const [uid, gid] = answer.stdout.text.split("\n").map(Number);
    if (answer.exitCode === 0 && Number.isInteger(uid) && Number.isInteger(gid))
      return { uid: uid ?? 0, gid: gid ?? 0 };
    const { state, said } = { state: answer.ending, said: answer.stderr.text.trim() };
    throw new AssayError(
      "ASSAY_SANDBOX_FAILED",
      `${this.name} does not say whose its files are (${state}): ${said || "it needs `sh`, `sleep` and `id`"}`,
    );
  }

  /** Makes a directory, its parents too, which belongs to the user. */
  async makeDirectory(directory: string): Promise<void> {
    const { uid, gid } = await this.fileOwner();
    const args = ["exec", "--user", "0", this.name, "sh", "-c", makeOwned, "sh"];
    await this.#client.answer(`${directory} could not be made in ${this.name}`, [
      ...args,
      directory,
      `${uid}:${gid}`,
    ]);
  }
}

/** Only what it makes is given away: a directory of the image stays whose it is, but for the workdir, which is ours. */
const makeOwned = `
if [ -d "$1" ]; then exit 0; fi
mkdir -p "$1" && chown "$2" "$1"`;

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** A uid without a group may have any in the image; that of root is 0. */
function numericOwner(user = ""): FileOwner | null {
  const [, uid, gid] = /^(\d+)(?::(\d+))?$/.exec(user) ?? [];
  if (uid === undefined || (gid === undefined && Number(uid) !== 0)) return null;
  return { uid: Number(uid), gid: Number(gid ?? 0) };
}

const nothing: DownloadFacts = {
  fileCount: 0,
  sizeBytes: 0,
  omitted: {},
  isTruncated: false,
  isFound: false,
};

/** At its end only: what stands before is the path, in words of whoever made it. */
function isTooLongPath(said: string): boolean {
  return /: file name too long$/i.test(said);
}

function isMissingPath(said: string): boolean {
  const isNoPath = /Could not find the file|No such container:path|could not be found on container/;
  return isNoPath.test(said) || (!isUnknownContainer(said) && /no such file/i.test(said));
}
