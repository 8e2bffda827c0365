import type { ProcessCapability, ProcessResult } from "../../contracts/process.ts";
import type { Fact } from "../../schema/fact.ts";

export interface GitPlace {
  /** The folder that is asked about. */
  readonly dir: string;
  readonly process: ProcessCapability;
  /** For each answer; once one was late no other is asked for. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** What a repository's configuration could have started: hooks, monitors, external diffs, pagers, the network. */
const switchedOff = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.sshCommand=false",
  "credential.helper=",
  "diff.external=",
  "protocol.allow=never",
].flatMap((setting) => ["-c", setting]);

const gitEnv = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_NO_LAZY_FETCH: "1",
  // Also of those that do not know of GIT_NO_LAZY_FETCH: there is no protocol of this name.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_LITERAL_PATHSPECS: "1",
  LC_ALL: "C",
};

/** Bytes of an answer that are read. */
const answerBytes = 1024 * 1024;

export interface Answer {
  readonly text: string;
  readonly isCut: boolean;
}

/** A git that reads one repository and starts nothing that the repository names. Once it was late it is not asked again. */
export class Git {
  readonly #program: string;
  readonly #place: GitPlace;
  readonly #settings: string[] = [...switchedOff];
  readonly #late = new AbortController();

  constructor(program: string, place: GitPlace) {
    this.#program = program;
    this.#place = place;
  }

  /** A setting for all further questions. */
  set(name: string, value: string): void {
    this.#settings.push("-c", `${name}=${value}`);
  }

  async ask(command: readonly string[]): Promise<Fact<Answer>> {
    if (this.#late.signal.aborted) return lateAnswer;
    const { dir, process, timeoutMs, signal } = this.#place;
    const result = await process.run({
      argv: [this.#program, ...this.#settings, ...command],
      cwd: dir,
      env: { ...process.baseEnv(["HOME", "XDG_CONFIG_HOME"]), ...gitEnv },
      stdout: { keepBytes: answerBytes },
      timeoutMs,
      graceMs: 100,
      ...(signal !== undefined && { signal }),
    });
    if (result.ending === "timed_out") this.#late.abort();
    if (result.ending !== "exited" || result.exitCode !== 0) return { unknown: reasonOf(result) };
    return { text: result.stdout.text, isCut: result.stdout.isTruncated };
  }

  /** An answer of one line. */
  async line(command: readonly string[]): Promise<Fact<string>> {
    const answer = await this.ask(command);
    return "unknown" in answer ? answer : answer.text.replace(/\r?\n$/, "");
  }
}

/** `key`, newline, value, NUL, as `git config -z` gives them. */
export function settingsOf(text: string): [key: string, value: string][] {
  return text
    .split("\0")
    .filter((entry) => entry !== "")
    .map((entry) => {
      const end = entry.indexOf("\n");
      return end < 0 ? [entry, ""] : [entry.slice(0, end), entry.slice(end + 1)];
    });
}

const lateAnswer = { unknown: "git gave no answer in time" };

export const noRepository = "the suite is in no git repository";
export const noCommit = "the repository has no commit yet";

function reasonOf({ ending, exitCode, stderr }: ProcessResult): string {
  if (ending === "timed_out") return lateAnswer.unknown;
  if (ending !== "exited") return `git did not end well (${ending})`;
  if (/not a git repository/i.test(stderr.text)) return noRepository;
  if (/needed a single revision|unknown revision/i.test(stderr.text)) return noCommit;
  if (/dubious ownership/i.test(stderr.text))
    return "git refuses the repository: somebody else owns it";
  if (/must be run in a work tree/i.test(stderr.text))
    return "the repository is bare: it has no files of its own";
  return `git ended with exit code ${exitCode}`;
}
