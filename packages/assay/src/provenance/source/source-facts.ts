import type { FileStore } from "../../contracts/files.ts";
import type { ProcessCapability } from "../../contracts/process.ts";
import type { SourceRecord } from "../../schema/environment.ts";
import type { Fact } from "../../schema/fact.ts";
import { withoutCredentials } from "../redaction/origin-url.ts";
import { Git, noCommit, noRepository, settingsOf } from "./git.ts";
import { changesSince } from "./git-changes.ts";
import { headCommit } from "./git-head.ts";
import { submodulesOf } from "./git-submodules.ts";
import { lockfileFact } from "./lockfile.ts";

export interface SourceHost {
  /** Folder of the suite. */
  readonly baseDir: string;
  readonly files: FileStore;
  readonly process: ProcessCapability;
  /** For each question to git; once it was late no other is asked. Default 5000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const defaultTimeoutMs = 5000;

type GitFacts = Omit<SourceRecord, "lockfile">;

/** Where the suite comes from. Never throws for what is not known: the reason takes the place of the fact. */
export async function sourceFacts(host: SourceHost): Promise<SourceRecord> {
  const [lockfile, git] = await Promise.all([
    lockfileFact(host.baseDir, host.files),
    gitFacts(host),
  ]);
  return { ...git, lockfile };
}

async function gitFacts(host: SourceHost): Promise<GitFacts> {
  const { baseDir, files, process, timeoutMs = defaultTimeoutMs, signal } = host;
  const program = await process.find("git");
  if (program === null) return await withoutGit("git is not installed", host);
  const place = { dir: baseDir, process, timeoutMs, ...(signal !== undefined && { signal }) };
  const git = new Git(program, place);
  const [commit, top, settings] = await Promise.all([
    git.line(["rev-parse", "--verify", "HEAD^{commit}"]),
    git.line(["rev-parse", "--show-toplevel"]),
    git.ask(["config", "-z", "--get-regexp", configuredNames]),
  ]);
  if (typeof commit !== "string" && commit.unknown !== noCommit)
    return await withoutGit(commit.unknown, host);
  // It ends with 1 when there is nothing of these names.
  const isRead = "text" in settings ? !settings.isCut : settings.unknown.endsWith("exit code 1");
  const configured = "text" in settings ? settingsOf(settings.text) : [];
  const originUrl = originOf(configured);
  if (typeof top !== "string")
    return { commit, isDirty: top, diffDigest: top, originUrl, submodules: top };
  const isSafe = isRead && configured.every(([key]) => switchOff(git, key));
  const unsafe = { unknown: "the repository has filters that cannot be switched off" };
  const [changes, submodules] = await Promise.all([
    typeof commit !== "string"
      ? { isDirty: commit, diffDigest: commit }
      : isSafe
        ? changesSince(git, top, files)
        : { isDirty: unsafe, diffDigest: unsafe },
    submodulesOf(git, top, files),
  ]);
  return { commit, ...changes, originUrl, submodules };
}

const configuredNames = "^(remote\\.origin\\.url|filter\\..*\\.(clean|smudge|process|required))$";

function originOf(settings: readonly (readonly [string, string])[]): Fact<string> {
  const address = settings.find(([key]) => key === "remote.origin.url")?.[1];
  return address === undefined
    ? { unknown: "there is no remote called origin" }
    : withoutCredentials(address);
}

/** A filter is a program that git starts to compare a file; its name is the repository's choice. False when it cannot be named. */
function switchOff(git: Git, key: string): boolean {
  if (!key.startsWith("filter.")) return true;
  if (key.includes("=") || /\p{Cc}/u.test(key)) return false;
  git.set(key, key.endsWith(".required") ? "false" : "");
  return true;
}

/** What can be said all the same: the commit, read from the repository's files. */
async function withoutGit(reason: string, { baseDir, files }: SourceHost): Promise<GitFacts> {
  const unknown = { unknown: reason };
  const found = reason === noRepository ? unknown : await headCommit(baseDir, files);
  const commit = typeof found === "string" || found.unknown === noCommit ? found : unknown;
  return { commit, isDirty: unknown, diffDigest: unknown, originUrl: unknown, submodules: unknown };
}
