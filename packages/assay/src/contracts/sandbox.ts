import type { JsonObject } from "../support/json.ts";
import type { OutputFacts, OutputSink } from "./process.ts";

/** The sandboxes of one run. What is still there at its end is stopped by whoever gave it. */
export interface SandboxCapability {
  /** Containers. Throws `ASSAY_TOOL_NOT_FOUND`; the engine is asked when it is first used. */
  docker(command: DockerCommand): Promise<SandboxProvider>;
}

export interface DockerCommand {
  /** A name on PATH, or a path. */
  readonly program: string;
  /** Relative paths start here. */
  readonly baseDir: string;
}

/**
 * Makes sandboxes for one run. Each carries the run's token, the id of its trial and the identity of the process that
 * made it from before its creation on, so that whoever comes later can tell whose it is and whether that process lives.
 */
export interface SandboxProvider {
  /** Curated and stable: `docker`. */
  readonly name: string;
  /** What is there. Throws `environment` errors when it cannot be used. */
  facts(): Promise<SandboxEngine>;
  /** The image that a reference means now, fetched when it is not here. Throws `ASSAY_IMAGE_NOT_FOUND`. */
  resolveImage(reference: string, options?: SandboxCallOptions): Promise<SandboxImage>;
  /** Builds an image; one of the same content is built once. Throws `ASSAY_IMAGE_BUILD_FAILED` with the end of its output. */
  buildImage(build: ImageBuild, options?: SandboxCallOptions): Promise<BuiltImage>;
  /** A running sandbox. Nothing is left when it throws: `ASSAY_SANDBOX_FAILED`, or `ASSAY_CANCELLED` after an abort. */
  create(spec: SandboxSpec, options?: SandboxCallOptions): Promise<Sandbox>;
  /** Stops every sandbox that is left. May be called twice. Throws when one may be left after all, with how to remove it. */
  close(): Promise<void>;
}

export interface SandboxCallOptions {
  readonly signal?: AbortSignal;
}

export interface UploadOptions extends SandboxCallOptions {
  /** Links are made inside as they are written. Default false: they are left out. */
  readonly keepLinks?: boolean;
}

export interface SandboxEngine {
  /** The front end's name and version, and the engine's. */
  readonly client: string;
  readonly version: string;
  readonly os: string;
  readonly architecture: string;
}

/** An image by the reference that was asked for and by what it meant then. Sandboxes are made of the latter. */
export interface SandboxImage {
  readonly reference: string;
  /** Content digest of the image as the engine holds it: `sha256:...`. */
  readonly digest: string;
  /** Digest under which a registry gives it; null for one that was built here. */
  readonly registryDigest: string | null;
}

export interface ImageBuild {
  /** Host directory with all that the build may use. Links in it are not followed. */
  readonly context: string;
  /** Relative to the context. Default `Dockerfile`. */
  readonly dockerfile?: string;
  /** Never secrets: they stay readable in the image. */
  readonly buildArgs?: Readonly<Record<string, string>>;
  /** Default 30 minutes. */
  readonly timeoutMs?: number;
}

export interface BuiltImage extends SandboxImage {
  /** Over all files of the context, their modes, the build arguments and the choice of the Dockerfile. */
  readonly contextDigest: string;
  /** It had been built before. */
  readonly isCached: boolean;
}

export interface SandboxSpec {
  readonly image: SandboxImage;
  /** For people: part of its name, and a label. */
  readonly trialId: string;
  /** Absolute. Made, and owned by the user. Default `/workspace`. */
  readonly workdir?: string;
  /** Name or uid, or `uid:gid`. Default: the image's own. */
  readonly user?: string;
  /** Of every command. Anyone who may use the engine can read it: secrets belong to `ExecRequest.env`. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limits?: SandboxLimits;
  /** `bridge` reaches what the host reaches, and the host as `host.docker.internal`. Default `none`. */
  readonly network?: "none" | "bridge";
  /** Only the workdir, `/tmp` and `/dev/shm` can be written. Default false. */
  readonly isRootReadOnly?: boolean;
  /** Host files and directories that are seen inside, read-only. */
  readonly mounts?: readonly SandboxMount[];
  /** It ends by itself after this, should nobody be left to stop it. Default one day. */
  readonly lifetimeMs?: number;
}

export interface SandboxLimits {
  /** Swap is not given beside it. */
  readonly memoryBytes?: number;
  /** Processors, in parts too: 0.5. */
  readonly cpus?: number;
  /** Processes and threads at once. */
  readonly processes?: number;
  /** What may be written besides mounts. An engine that cannot hold it refuses. */
  readonly diskBytes?: number;
}

export interface SandboxMount {
  /** Absolute, on the engine's host. */
  readonly source: string;
  /** Absolute, inside. */
  readonly target: string;
}

export interface Sandbox {
  readonly name: string;
  readonly spec: SandboxSpec;
  /** What is recorded of it: image, limits, network, isolation. The same bytes for equal specs. */
  readonly record: JsonObject;
  /**
   * Runs one command. Its end is a result, whatever it was; thrown are faults of the engine (`ASSAY_SANDBOX_FAILED`) and
   * output that cannot be stored. Several may run at once.
   */
  exec(request: ExecRequest): Promise<ExecResult>;
  /** Copies what lies in a host directory into a directory inside, which is made; files belong to its user. */
  upload(hostDirectory: string, directory: string, options?: UploadOptions): Promise<void>;
  /**
   * Copies a file or directory to a new host directory, whether it still runs or not. Nothing leads out of the directory,
   * no device or FIFO is made, all files are private; what is left out is told. A path that is not there is empty.
   */
  download(path: string, hostDirectory: string, bounds?: DownloadBounds): Promise<DownloadFacts>;
  /** How it is now. */
  state(): Promise<SandboxState>;
  /** Ends all that runs in it and removes it. May be called twice, and at any time. */
  stop(): Promise<void>;
}

export type SandboxState =
  | "running"
  /** The engine ended it because it ran out of memory. */
  | "oom_killed"
  /** It ended: by itself, or by somebody else. */
  | "died"
  /** The engine knows nothing of it any more. */
  | "vanished";

export interface ExecRequest {
  /** No shell: the program and its arguments. Never a secret. */
  readonly argv: readonly [string, ...string[]];
  /** Absolute. Default: the workdir. */
  readonly cwd?: string;
  /** Laid over the environment of the sandbox, for this command alone; may hold secrets. */
  readonly env?: Readonly<Record<string, string>>;
  readonly user?: string;
  readonly stdin?: string;
  readonly stdout?: OutputSink;
  readonly stderr?: OutputSink;
  /** Then all that came of the command is ended, inside. */
  readonly timeoutMs?: number;
  /** Milliseconds between asking it to end (SIGTERM) and killing it (SIGKILL). Default 2000. */
  readonly graceMs?: number;
  /** The same, when aborted. */
  readonly signal?: AbortSignal;
}

export interface ExecResult {
  readonly ending:
    | "exited"
    | "timed_out"
    | "cancelled"
    /** It failed and the sandbox ran out of memory meanwhile. */
    | "oom_killed"
    /** The sandbox ended before the command did. */
    | "died"
    /** The sandbox was removed before the command ended. */
    | "vanished";
  /** 128 + n after signal n. Null unless the command itself ended. */
  readonly exitCode: number | null;
  readonly stdout: OutputFacts;
  readonly stderr: OutputFacts;
  readonly durationMs: number;
  /** False when the whole sandbox had to be ended with the command, or had ended. */
  readonly isSandboxRunning: boolean;
}

/** Reaching one ends the copy; what was copied stays. */
export interface DownloadBounds {
  /** Default 1 GiB. */
  readonly maxBytes?: number;
  /** Default 100,000. */
  readonly maxEntries?: number;
  /** When aborted, a bound is reached. */
  readonly cutSignal?: AbortSignal;
  readonly signal?: AbortSignal;
}

export interface DownloadFacts {
  readonly fileCount: number;
  readonly sizeBytes: number;
  /** Entries that were not copied, by reason. */
  readonly omitted: Readonly<Partial<Record<OmittedReason, number>>>;
  /** A bound was reached, or the engine could not read on: a path that is too long for it ends its archive. */
  readonly isTruncated: boolean;
  /** There was something at the path. */
  readonly isFound: boolean;
}

export type OmittedReason =
  /** A link that leads out, or may. */
  | "outward_link"
  /** A device, FIFO or socket. */
  | "special_file"
  /** A name that leads out of the directory, or cannot be a name here. */
  | "unsafe_name"
  /** A second entry at the same path. */
  | "duplicate";
