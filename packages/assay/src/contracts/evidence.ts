import type { EvidenceDescriptor } from "../schema/evidence.ts";
import type { JsonObject } from "../support/json.ts";
import type { SandboxProvider, SandboxSpec } from "./sandbox.ts";
import type { Trajectory, TrajectoryFormat } from "./trajectory.ts";

/** Read access to what a trial left behind. Nothing is opened before it is asked for. */
export interface Evidence {
  /** Names in the order they were given, of one kind if asked. */
  names(kind?: string): readonly string[];
  get(name: string): EvidenceDescriptor | null;
  /** Throws when the name is missing or the kind differs. */
  require(name: string, kind?: string): EvidenceDescriptor;
  /** A directory. Throws for a remote ref or another kind. */
  filesystem(name: string): Promise<FilesystemEvidence>;
  logs(name?: string): Promise<LogEvidence>;
  /**
   * What the agent did, from evidence of kind `trace`, by default the one called so. In the format that it declares (none
   * is ATIF); where a format is asked for, the evidence of this name or else of `<name>:<format>` that declares it. Read
   * once, whole, within bounds. Throws `ASSAY_EVIDENCE_UNAVAILABLE`, `ASSAY_TRAJECTORY_INVALID`, `ASSAY_PATH_ESCAPES`,
   * `ASSAY_FILE_UNREADABLE`.
   */
  trajectory(name?: string, format?: TrajectoryFormat): Promise<Trajectory>;
}

export type ChangeKind = "added" | "deleted" | "modified";

export interface FilesystemDiff {
  readonly entries: readonly { readonly path: string; readonly kind: ChangeKind }[];
  /** Paths of the entries that match. */
  changed(filter?: {
    readonly prefix?: string;
    readonly kinds?: readonly ChangeKind[];
  }): readonly string[];
}

export interface VerifierRequest {
  readonly command: readonly [string, ...string[]];
  /** Relative to the copy. */
  readonly cwd?: string;
  /** Files laid over the copy: relative path to text or bytes. */
  readonly overlayFiles?: Readonly<Record<string, string | Uint8Array>>;
  /** Files that are empty when the command begins, whatever was left there: relative paths. */
  readonly blankFiles?: readonly string[];
  /** Where the command runs in place of this machine. There the files laid over the copy cannot be written. */
  readonly sandbox?: VerifierSandbox;
  readonly timeoutMs?: number;
  /** The whole environment of the command beside PATH and a private HOME. */
  readonly env?: Readonly<Record<string, string>>;
  /** Files that are read from the copy after the command, if they are there: relative paths. */
  readonly collect?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface VerifierSandbox {
  readonly provider: SandboxProvider;
  readonly spec: Pick<SandboxSpec, "image" | "trialId" | "network" | "limits">;
}

export interface CommandResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly isTimedOut: boolean;
  /** The command could not be started: why, for people, and the system's code where it gave one. */
  readonly spawnError: string | null;
  readonly spawnErrorCode: string | null;
  /** Exit 0 and in time. */
  readonly isOk: boolean;
  /** Text of the collected files that existed. */
  readonly collected: Readonly<Record<string, string>>;
  /** Why nothing can be said of the command: its sandbox ended under it. Absent: that did not happen. */
  readonly lost?: string;
  /** What is recorded of the sandbox it ran in. */
  readonly sandbox?: JsonObject;
  /** Paths to collect at which something else lies: a link, a directory, a file over 1 MiB. */
  readonly uncollectable: readonly string[];
}

/** A directory of evidence. Paths are relative, and every path is checked to stay inside, links included. */
export interface FilesystemEvidence {
  readonly root: string;
  path(relative?: string): Promise<string>;
  exists(relative: string): Promise<boolean>;
  readText(relative: string): Promise<string>;
  readBytes(relative: string): Promise<Uint8Array>;
  /** Files and directories, sorted, relative to the root; a file gives itself. */
  iteratePaths(
    relative?: string,
    options?: { readonly isRecursive?: boolean },
  ): Promise<readonly string[]>;
  /** Regular files, sorted; a glob pattern (`**`, `*`, `?`) narrows them. */
  listFiles(pattern?: string): Promise<readonly string[]>;
  /** This is before, `other` is after. */
  diff(other: FilesystemEvidence): Promise<FilesystemDiff>;
  /** `a/<path>` → `b/<path>`; empty when equal or when a side is not UTF-8. */
  unifiedDiff(other: FilesystemEvidence, relative: string, context?: number): Promise<string>;
  /** Runs a command on a throwaway copy; the evidence itself is never changed. Without a sandbox it has the host's rights. */
  runVerifier(request: VerifierRequest): Promise<CommandResult>;
}

export interface LogEvidence {
  listFiles(): Promise<readonly string[]>;
  readText(name: string): Promise<string>;
  /** The last `lines` lines, joined by newlines; 0 gives an empty string. Reads from the end of the file. */
  tail(name: string, lines?: number): Promise<string>;
}
