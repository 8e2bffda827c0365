import path from "node:path";

import type { ProcessResult } from "../../contracts/process.ts";
import type { RunContext } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { removeComposeResidue } from "../../sandbox/docker/compose-residue.ts";
import { formatDocument, type JsonObject } from "../../support/json.ts";
import { followBackend } from "../define/batch/follow-backend.ts";
import { harborArgv, harborEnv, hostNames } from "./invocation.ts";
import { type FoundResult, JobResults } from "./job-results.ts";
import type { HarborOptions } from "./options.ts";
import { agentDirOf, findHarbor } from "./prerequisites.ts";
import type { Workplace } from "./workplace.ts";

export interface JobRun {
  readonly config: JsonObject;
  /** Of the job, absolute. */
  readonly directory: string;
  /** Names the files of this start of Harbor; each start has a number of its own. */
  readonly number: number;
  readonly options: HarborOptions;
  readonly workplace: Workplace;
  /** Folders of trials that were there before, and that nothing more is wanted of. */
  readonly known?: ReadonlySet<string>;
}

/** Runs one job, and yields its results as they appear. Returns how Harbor ended. Nothing of it is left then. */
export async function* runJob(
  { config, directory, number, options, workplace, known = new Set() }: JobRun,
  context: RunContext,
): AsyncGenerator<FoundResult, ProcessResult, void> {
  const { files, log, process, secrets, signal } = context;
  const logsDirectory = path.join(workplace.root, `start-${number}`);
  await files.makePrivateDirectory(logsDirectory);
  const configFile = path.join(logsDirectory, "job.json");
  await files.writeAtomic(configFile, formatDocument(config));
  const results = new JobResults({
    directory,
    files,
    log,
    signal,
    hasRetries: options.maxRetries > 0,
  });
  const { home, temporary } = workplace;
  const env = harborEnv({
    options,
    host: process.baseEnv(hostNames(options)),
    secrets,
    agentDir: agentDirOf(options, context),
    home,
    temporary,
  });
  const backend = {
    command: {
      argv: harborArgv(await findHarbor(options, context), configFile),
      cwd: workplace.root,
      env,
      stopSignal: "SIGINT" as const,
    },
    logsDirectory: path.join(logsDirectory, "logs"),
    look: (isOver: boolean) => unknownOf(results.look(isOver), known),
  };
  try {
    return yield* followBackend(backend, context);
  } finally {
    if (options.environmentType === "docker") await removeLeftovers(directory, workplace, context);
  }
}

async function* unknownOf(
  found: AsyncIterable<FoundResult>,
  known: ReadonlySet<string>,
): AsyncGenerator<FoundResult, void, undefined> {
  for await (const result of found) if (!known.has(path.basename(result.directory))) yield result;
}

/** Harbor puts its containers away, unless it is killed. Compose calls a project by the trial's folder. */
async function removeLeftovers(
  directory: string,
  { temporary }: Workplace,
  { files, process, log }: RunContext,
): Promise<void> {
  const folders = (await files.stat(directory)) === null ? [] : await files.list(directory);
  const projectPrefixes = folders
    .filter((name) => /__[A-Za-z0-9]{5,}$/.test(name))
    .map((name) => name.toLowerCase().replaceAll(/[^a-z0-9_-]/g, "-"));
  const removed = await removeComposeResidue({ directory: temporary, projectPrefixes }, process);
  if (removed > 0)
    log.warn(`${removed} containers, networks or volumes that Harbor left were removed`);
}

const shownCharacters = 2000;

/** What Harbor said last, for people. */
function tailOf({ stdout, stderr }: ProcessResult, redact: (text: string) => string): string {
  const text = redact(stderr.text.trim() === "" ? stdout.text : stderr.text).trim();
  return text.slice(-shownCharacters);
}

/** Harbor ended before all was done. */
export function jobFailure(
  result: ProcessResult,
  { missing, redact }: { readonly missing: number; readonly redact: (text: string) => string },
): AssayError {
  if (result.ending === "spawn_failed")
    return new AssayError(
      "ASSAY_PROCESS_SPAWN_FAILED",
      `Harbor could not be started: ${result.spawnError}`,
    );
  const ending =
    result.exitCode === null
      ? `was ended by ${result.signalName}`
      : `ended with exit code ${result.exitCode}`;
  return new AssayError(
    "ASSAY_RUNNER_FAILED",
    `Harbor ${ending} and ${missing} trials did not come; it said last: ${tailOf(result, redact)}`,
  );
}
