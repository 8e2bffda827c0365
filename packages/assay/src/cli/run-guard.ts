import { exitCodes } from "../errors/exit-codes.ts";
import type { CliIo } from "./io.ts";

/** Stray errors are told up to this many; the rest is counted. */
const toldErrors = 5;

export interface RunPlace {
  /** Where the run is written, as the user named it. */
  readonly workDir: string;
  /** The command that goes on with it, of a run that can be resumed. */
  readonly resume?: string;
  /** Names of the variables that the suite declares as secret. */
  readonly secrets: Iterable<string>;
  /** Tells one line to whoever watches the run. */
  warn(message: string): void;
}

/** Keeps code of suites, agents and metrics, which shares this process, from ending a run unnoticed. */
export interface RunGuard {
  /** From now on errors that nobody awaits are warnings of the run. */
  runStarts(place: RunPlace): void;
  release(): void;
}

export function guardRun(io: CliIo): RunGuard {
  let running: RunPlace | null = null;
  let releaseStrays = () => {};
  const releaseExit = io.onForeignExit(() => {
    io.stderr.write(`${exitText(running)}\n`);
    return running === null ? exitCodes.input : exitCodes.incomplete;
  });
  return {
    runStarts: (place) => {
      running = place;
      releaseStrays = tellStrays(io, place);
    },
    release: () => {
      releaseStrays();
      releaseExit();
    },
  };
}

function exitText(running: RunPlace | null): string {
  if (running === null)
    return "error: the suite ended the process (process.exit) while it was loaded; nothing was run";
  return `error: the suite, an agent or a metric ended the process (process.exit) during the run; what was finished is in ${running.workDir}${leftText(running)}`;
}

/** What can be done about a run that ended at once. */
export function leftText({ resume }: RunPlace): string {
  const clean = "`assay clean` removes what was left behind";
  return resume === undefined ? `, and ${clean}` : `, and ${clean}\ngo on with it by: ${resume}`;
}

function tellStrays(io: CliIo, { secrets, warn }: RunPlace): () => void {
  const told = new Set<string>();
  let untold = 0;
  const release = io.onStrayError((thrown) => {
    void shownText(thrown, io.env, secrets).then((text) => {
      if (told.has(text) || told.size === toldErrors) {
        untold += 1;
        return;
      }
      told.add(text);
      warn(`an error that no code awaits; the run goes on: ${text}`);
    });
  });
  return () => {
    release();
    if (untold > 0) warn(`${untold} more errors that no code awaits are only counted`);
  };
}

const longest = 500;

async function shownText(
  thrown: unknown,
  env: CliIo["env"],
  secrets: Iterable<string>,
): Promise<string> {
  const { redactText, visibleLine } = await import("../entries/index.ts");
  const text = visibleLine(await redactText(describe(thrown), env, secrets));
  return text.length > longest ? `${text.slice(0, longest)}...` : text;
}

/** What is thrown may refuse to be read. */
function describe(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return "a value that cannot be shown";
  }
}
