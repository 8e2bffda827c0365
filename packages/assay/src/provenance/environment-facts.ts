import { dirname, join } from "node:path";

import type { FileStore } from "../contracts/files.ts";
import type { ProcessCapability, ProcessResult } from "../contracts/process.ts";
import { messageOf } from "../errors/assay-error.ts";
import type { Fact } from "../schema/fact.ts";
import type { SourceRecord } from "../schema/provenance.ts";
import { sha256HexOf } from "../support/digest.ts";
import { withoutCredentials } from "./redaction/origin-url.ts";

export interface SourceHost {
  /** Folder of the suite. */
  readonly baseDir: string;
  readonly files: FileStore;
  readonly process: ProcessCapability;
  /** For each question to git; default 5000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const defaultTimeoutMs = 5000;
const lockfiles = [
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "yarn.lock",
  "bun.lock",
  "bun.lockb",
];

/** Hooks, monitors, pagers and external diffs that a repository's configuration names are not started. */
const gitOptions = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "diff.external=",
  "core.pager=cat",
].flatMap((option) => ["-c", option]);
const gitEnv = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  LC_ALL: "C",
};

/** Where the suite comes from. Never throws for what is not known: the reason takes the place of the fact. */
export async function sourceFacts(host: SourceHost): Promise<SourceRecord> {
  const lockfile = await lockfileFact(host);
  const git = await host.process.find("git");
  if (git === null) return { ...withoutRepository("git is not installed"), lockfile };
  const commit = await ask(git, ["rev-parse", "--verify", "HEAD"], host);
  if (typeof commit !== "string") return { ...withoutRepository(commit.unknown), lockfile };
  const changes = await ask(
    git,
    ["status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty", "--no-renames"],
    host,
  );
  const origin = await ask(git, ["config", "--get", "remote.origin.url"], host);
  return {
    commit,
    isDirty: typeof changes === "string" ? changes !== "" : changes,
    originUrl:
      typeof origin === "string"
        ? withoutCredentials(origin)
        : { unknown: "there is no remote called origin" },
    lockfile,
  };
}

function withoutRepository(reason: string): Omit<SourceRecord, "lockfile"> {
  const unknown = { unknown: reason };
  return { commit: unknown, isDirty: unknown, originUrl: unknown };
}

async function ask(
  git: string,
  command: readonly string[],
  { baseDir, process, timeoutMs = defaultTimeoutMs, signal }: SourceHost,
): Promise<Fact<string>> {
  const result = await process.run({
    argv: [git, ...gitOptions, ...command],
    cwd: baseDir,
    env: { ...process.baseEnv(["HOME", "XDG_CONFIG_HOME"]), ...gitEnv },
    timeoutMs,
    ...(signal !== undefined && { signal }),
  });
  return result.ending === "exited" && result.exitCode === 0
    ? result.stdout.text.trim()
    : { unknown: reasonOf(result) };
}

function reasonOf({ ending, exitCode, stderr }: ProcessResult): string {
  if (/not a git repository/i.test(stderr.text)) return "the suite is in no git repository";
  if (/needed a single revision|unknown revision/i.test(stderr.text))
    return "the repository has no commit yet";
  if (/dubious ownership/i.test(stderr.text))
    return "git refuses the repository: somebody else owns it";
  if (ending === "timed_out") return "git gave no answer in time";
  return ending === "exited"
    ? `git ended with exit code ${exitCode}`
    : `git did not end well (${ending})`;
}

async function lockfileFact({ baseDir, files }: SourceHost): Promise<SourceRecord["lockfile"]> {
  for (let folder = baseDir; ; folder = dirname(folder)) {
    for (const name of lockfiles) {
      const path = join(folder, name);
      if ((await files.stat(path))?.kind === "file") return await lockfileRecord(name, path, files);
    }
    if (dirname(folder) === folder)
      return { unknown: "there is no lockfile at or above the suite" };
  }
}

async function lockfileRecord(
  name: string,
  path: string,
  files: FileStore,
): Promise<SourceRecord["lockfile"]> {
  try {
    return { name, sha256: await sha256HexOf(files.readChunks(path)) };
  } catch (thrown) {
    return { unknown: messageOf(thrown) };
  }
}
