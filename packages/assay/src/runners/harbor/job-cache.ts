import path from "node:path";

import type { RunContext } from "../../contracts/runner.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { canonicalJson } from "../../support/canonical-json.ts";
import { sha256Hex } from "../../support/digest.ts";
import type { JsonObject } from "../../support/json.ts";
import { isBelow } from "../../support/paths.ts";
import { directoryDigest } from "./directory-digest.ts";
import { jobConfig } from "./invocation.ts";
import { type FoundResult, JobResults } from "./job-results.ts";
import { type JobStamp, readStamp, writeStamp } from "./job-stamp.ts";
import type { HarborOptions } from "./options.ts";
import { folderDigest, type PlacedTask, type TaskFinder } from "./planned-tasks.ts";
import { agentDirOf } from "./prerequisites.ts";
import { inOrder } from "./read-job.ts";
import { at, isHarborValid } from "./read-result.ts";
import { errorOf } from "./trial-error.ts";

/** A trial that was there before. */
export interface CachedTrial extends FoundResult {
  readonly taskId: string;
  readonly trialIndex: number;
}

interface KeptJob {
  readonly name: string;
  readonly directory: string;
  stamp: JobStamp;
  /** What it holds, by the folder of the trial. */
  readonly trials: Map<string, CachedTrial>;
  /** Folders of the tasks of its further results, which this run does not ask for: a resumed run has them. */
  readonly others: (string | null)[];
}

/** A job of Harbor's that is to be gone on with, and the folders of trials in it that are wanted no more. */
export interface JobToResume {
  readonly directory: string;
  readonly config: JsonObject;
  readonly known: ReadonlySet<string>;
}

export interface CacheRequest {
  readonly options: HarborOptions;
  readonly jobsDir: string;
  readonly jobName: string;
  readonly tasks: readonly PlacedTask[];
  readonly finder: TaskFinder;
  readonly toolVersion: string | null;
}

/**
 * The jobs of one name that are kept in `jobs_dir`: `name`, and `name__2` and so on for trials that were asked for later.
 * A job whose inputs differ by now is removed; a folder of that name that Assay did not make is left alone.
 */
export class JobCache {
  readonly #request: CacheRequest;
  readonly #context: RunContext;
  readonly #jobs: KeptJob[] = [];
  readonly #taken = new Set<string>();
  #inputs: Pick<JobStamp, "options" | "agent" | "tasks"> = { options: "", agent: null, tasks: {} };

  private constructor(request: CacheRequest, context: RunContext) {
    this.#request = request;
    this.#context = context;
  }

  static async open(request: CacheRequest, context: RunContext): Promise<JobCache> {
    const cache = new JobCache(request, context);
    cache.#inputs = await cache.#digestInputs();
    const { jobsDir, jobName } = request;
    for (const name of [...(await context.files.list(jobsDir))].sort())
      if (name === jobName || isLaterJob(name, jobName)) await cache.#admit(name);
    return cache;
  }

  /** Every trial that is there, each with the index that it has for good. */
  *trials(): Iterable<CachedTrial> {
    for (const job of this.#jobs) yield* job.trials.values();
  }

  /** The one kept job whose unfinished trials are exactly those that are wanted; null when there is none. */
  async toResume(left: (taskId: string) => number): Promise<JobToResume | null> {
    const [job, ...others] = this.#jobs;
    if (job === undefined || others.length > 0) return null;
    const folders = at(job.stamp.config, "tasks");
    const attempts = Number(at(job.stamp.config, "n_attempts"));
    const wanted = new Map(
      this.#request.tasks.map((task) => [task.folder.directory, task.task.id]),
    );
    const have = (folder: string) =>
      [...[...job.trials.values()].map(({ result }) => result.taskPath), ...job.others].filter(
        (taskPath) => taskPath === folder,
      ).length;
    for (const entry of Array.isArray(folders) ? folders : []) {
      const folder = String(at(entry, "path"));
      const id = wanted.get(folder);
      if (attempts - have(folder) !== (id === undefined ? 0 : left(id))) return null;
      wanted.delete(folder);
    }
    if ([...wanted.values()].some((id) => left(id) > 0)) return null;
    await this.prune(job.directory);
    const config = { ...job.stamp.config, jobs_dir: this.#request.jobsDir };
    return { directory: job.directory, config, known: new Set(job.trials.keys()) };
  }

  /** A new folder for a job, stamped before Harbor starts. */
  async begin(
    config: JsonObject,
  ): Promise<{ readonly directory: string; readonly config: JsonObject }> {
    const { jobsDir, jobName } = this.#request;
    let name = jobName;
    for (let number = 2; this.#taken.has(name); number += 1) name = `${jobName}__${number}`;
    this.#taken.add(name);
    const directory = path.join(jobsDir, name);
    await this.#context.files.makeDirectory(directory);
    const named = { ...config, job_name: name };
    const stamp: JobStamp = { version: 1, ...this.#inputs, config: named, trials: {} };
    await writeStamp(directory, stamp, this.#context.files);
    this.#jobs.push({ name, directory, stamp, trials: new Map(), others: [] });
    return { directory, config: named };
  }

  /** Which trial of Assay a new trial is: it is on disk before the trial is given away. */
  async record(directory: string, trial: CachedTrial): Promise<void> {
    const job = this.#jobs.find((kept) => kept.directory === directory);
    if (job === undefined) return;
    job.trials.set(path.basename(trial.directory), trial);
    const { taskId: task, trialIndex: index } = trial;
    const trials = { ...job.stamp.trials, [trial.result.name]: { task, index } };
    job.stamp = { ...job.stamp, trials };
    await writeStamp(directory, job.stamp, this.#context.files);
  }

  /** A job whose inputs changed while it ran is nothing to go on with: what it holds is of neither. */
  async end(directory: string): Promise<void> {
    const job = this.#jobs.find((kept) => kept.directory === directory);
    const now = await this.#digestInputs();
    if (job === undefined || canonicalJson(now) === canonicalJson(this.#inputs)) return;
    this.#context.log.warn(
      `inputs of the job "${job.name}" changed while it ran: it will not be used again`,
    );
    job.stamp = { ...job.stamp, options: "changed while the job ran" };
    await writeStamp(directory, job.stamp, this.#context.files);
  }

  /** Removes what a cancel left half done, which Harbor would take for finished. */
  async prune(directory: string): Promise<void> {
    const job = this.#jobs.find((kept) => kept.directory === directory);
    if (job === undefined) return;
    const results = this.#results(directory, true);
    for await (const { result, directory: folder } of results.look(true)) {
      const isOurs = job.trials.has(path.basename(folder));
      const error = errorOf(result, (text) => text);
      if (!isOurs && error !== null && isBelow(directory, folder))
        await this.#context.files.remove(folder);
    }
  }

  /** Removes a job, never anything but a folder right below `jobs_dir`. */
  async remove(directory: string): Promise<void> {
    const { jobsDir } = this.#request;
    const { files } = this.#context;
    const isJob = isBelow(jobsDir, directory) && path.dirname(directory) === jobsDir;
    if (!isJob || (await files.stat(directory))?.kind !== "directory")
      throw new AssayError(
        "ASSAY_PATH_ESCAPES",
        `"${directory}" is no folder of a job in "${jobsDir}": it is not removed`,
      );
    await files.remove(directory);
    const place = this.#jobs.findIndex((kept) => kept.directory === directory);
    if (place >= 0) this.#jobs.splice(place, 1);
    this.#taken.delete(path.basename(directory));
  }

  async #admit(name: string): Promise<void> {
    const { options, jobsDir } = this.#request;
    const { files, log } = this.#context;
    const directory = path.join(jobsDir, name);
    const stamp = await readStamp(directory, files);
    this.#taken.add(name);
    if (stamp === null && !options.forceRerun) {
      log.warn(`"${directory}" is no job that Assay keeps: it is left as it is`, {
        remedy: "Remove it, or give another job_name.",
      });
      return;
    }
    if (stamp === null || options.forceRerun || !this.#isOfSameInputs(stamp)) {
      if (!options.forceRerun) log.info(`the job "${name}" is of other inputs and is removed`);
      await this.remove(directory);
      return;
    }
    const job: KeptJob = { name, directory, stamp, trials: new Map(), others: [] };
    this.#jobs.push(job);
    await this.#read(job);
  }

  async #read(job: KeptJob): Promise<void> {
    const found: FoundResult[] = [];
    for await (const result of this.#results(job.directory, false).look(true))
      if (isHarborValid(result.result)) found.push(result);
    for (const result of inOrder(found)) {
      const taskId = this.#request.finder.find(result.result)?.task.id;
      if (taskId === undefined) {
        job.others.push(result.result.taskPath);
        continue;
      }
      const known = job.stamp.trials[result.result.name];
      const trialIndex = known?.task === taskId ? known.index : this.#nextIndex(taskId);
      const trial = { ...result, taskId, trialIndex };
      if (known?.task === taskId) job.trials.set(path.basename(result.directory), trial);
      else await this.record(job.directory, trial);
    }
  }

  /** The first index that no trial of the task has; those of the stamp are spoken for, whether they were read or not. */
  #nextIndex(taskId: string): number {
    const used = new Set(
      this.#jobs.flatMap(({ stamp }) =>
        Object.values(stamp.trials).flatMap(({ task, index }) => (task === taskId ? [index] : [])),
      ),
    );
    let index = 0;
    while (used.has(index)) index += 1;
    return index;
  }

  #results(directory: string, keepsCancelled: boolean): JobResults {
    const { files, log } = this.#context;
    const { signal } = new AbortController();
    return new JobResults({ directory, files, log, signal, hasRetries: false, keepsCancelled });
  }

  #isOfSameInputs({ options, agent, tasks }: JobStamp): boolean {
    const now = this.#inputs;
    const isSame = (name: string) =>
      now.tasks[name] === undefined || now.tasks[name] === tasks[name];
    return options === now.options && agent === now.agent && Object.keys(tasks).every(isSame);
  }

  async #digestInputs(): Promise<Pick<JobStamp, "options" | "agent" | "tasks">> {
    const { options, tasks, toolVersion } = this.#request;
    const { files, baseDir } = this.#context;
    const nowhere = { taskFolders: [], attempts: 1, concurrency: 1, jobsDir: "", jobName: "" };
    const shaping = { ...jobConfig(nowhere, { ...options, quiet: true }), version: toolVersion };
    const agentDir = agentDirOf(options, { baseDir });
    const digests: Record<string, string> = {};
    for (const { folder } of tasks)
      digests[folder.name] = await folderDigest(folder.directory, options, this.#context);
    return {
      options: sha256Hex(canonicalJson(shaping)),
      agent: agentDir === null ? null : await directoryDigest(agentDir, files),
      tasks: digests,
    };
  }
}

function isLaterJob(name: string, jobName: string): boolean {
  return name.startsWith(`${jobName}__`) && /^\d+$/.test(name.slice(jobName.length + 2));
}

/** The words of Harbor when it will not go on with a job, as its console may wrap them. */
const refusals = [
  "cannot be resumed with a different config",
  "does not match the resolved job lock",
].map(squeezed);

/** Harbor refuses to go on with this very job. Any other failure is one. */
export function isRefusal(output: string, directory: string): boolean {
  const text = squeezed(output);
  return text.includes(squeezed(directory)) && refusals.some((refusal) => text.includes(refusal));
}

function squeezed(text: string): string {
  return text.replaceAll(/[\s│┃|]+/g, "");
}
