import path from "node:path";

import type { RunContext, Trial } from "../../contracts/runner.ts";
import type { JsonObject } from "../../support/json.ts";
import type { Batch } from "../define/define-batch-runner.ts";
import { aggregatesOf } from "./aggregates.ts";
import { jobConfig } from "./invocation.ts";
import { isRefusal, JobCache } from "./job-cache.ts";
import type { FoundResult } from "./job-results.ts";
import type { HarborOptions } from "./options.ts";
import { trialOf } from "./outcome.ts";
import { type PlacedTask, placeTasks, TaskFinder } from "./planned-tasks.ts";
import { readJobDocument } from "./read-job.ts";
import { type JobRun, jobFailure, runJob } from "./run-job.ts";
import { Seats } from "./seats.ts";
import { openWorkplace, stage, stampName, type Workplace } from "./workplace.ts";

/** Has Harbor run the trials of a plan that are still to come: one job for each number of them. */
export async function* runPlan(batch: Batch<HarborOptions>): AsyncIterable<Trial> {
  const workplace = await openWorkplace(batch.options, batch.context);
  const tasks = await placeTasks(batch.plan, batch.options, batch.context);
  yield* new PlanRun(batch, workplace, tasks).trials();
}

/** A job that is about to be run. */
type JobStart = Pick<JobRun, "config" | "directory" | "known">;

class PlanRun {
  readonly #batch: Batch<HarborOptions>;
  readonly #context: RunContext;
  readonly #workplace: Workplace;
  readonly #tasks: readonly PlacedTask[];
  readonly #finder: TaskFinder;
  readonly #seats: Seats;
  readonly #jobs: string[] = [];
  #cache: JobCache | null = null;
  #starts = 0;
  #yielded = 0;
  #rewards = 0;

  constructor(batch: Batch<HarborOptions>, workplace: Workplace, tasks: readonly PlacedTask[]) {
    this.#batch = batch;
    this.#context = batch.context;
    this.#workplace = workplace;
    this.#tasks = tasks;
    this.#finder = new TaskFinder(tasks);
    this.#seats = new Seats(batch.plan);
  }

  async *trials(): AsyncGenerator<Trial, void, undefined> {
    const { options } = this.#batch;
    if (options.jobName !== null) {
      this.#cache = await this.#openCache(options.jobName);
      for (const { taskId, trialIndex, ...found } of this.#cache.trials()) {
        const index = this.#seats.take(taskId, trialIndex);
        if (index !== null) yield await this.#adapt(found, { taskId, trialIndex: index }, true);
      }
      const resumed = await this.#cache.toResume((id) => this.#seats.left(id));
      if (resumed !== null && this.#mayBegin()) yield* this.#run(resumed, true);
    }
    for (const group of this.#groups()) {
      if (!this.#mayBegin()) break;
      yield* this.#run(await this.#begin(group), false);
    }
    await this.#tellFigures();
  }

  async #openCache(jobName: string): Promise<JobCache> {
    const { options, tool } = this.#batch;
    const { jobsDir } = this.#workplace;
    const toolVersion = tool.version;
    const request = {
      options,
      jobsDir,
      jobName,
      tasks: this.#tasks,
      finder: this.#finder,
      toolVersion,
    };
    return await JobCache.open(request, this.#context);
  }

  #mayBegin(): boolean {
    const { signal, closing } = this.#context;
    return !signal.aborted && !closing.aborted && !this.#seats.isEmpty;
  }

  /** Tasks with as many trials to come, together. */
  #groups(): readonly (readonly PlacedTask[])[] {
    const groups = new Map<number, PlacedTask[]>();
    for (const task of this.#tasks) {
      const left = this.#seats.left(task.task.id);
      if (left > 0) groups.set(left, [...(groups.get(left) ?? []), task]);
    }
    return [...groups].sort(([a], [b]) => b - a).map(([, tasks]) => tasks);
  }

  async #begin(tasks: readonly PlacedTask[]): Promise<JobStart> {
    const { options } = this.#batch;
    const { clock, concurrency, files } = this.#context;
    const { jobsDir } = this.#workplace;
    const taken = new Set(await files.list(jobsDir));
    const jobName = stampName(clock.now(), (name) => !taken.has(name));
    const config = jobConfig(
      {
        taskFolders: tasks.map(({ folder }) => folder.directory),
        attempts: this.#seats.left(tasks[0]?.task.id ?? ""),
        concurrency: options.nConcurrentTrials ?? concurrency,
        jobsDir,
        jobName,
      },
      options,
    );
    if (this.#cache !== null) return await this.#cache.begin(config);
    return { config, directory: path.join(jobsDir, jobName) };
  }

  async *#run(start: JobStart, isResumed: boolean): AsyncGenerator<Trial, void, undefined> {
    const { options } = this.#batch;
    const { signal, redact, log } = this.#context;
    const number = this.#starts;
    this.#starts += 1;
    this.#jobs.push(start.directory);
    const before = this.#yielded;
    const job = runJob({ ...start, number, options, workplace: this.#workplace }, this.#context);
    let next = await job.next();
    try {
      for (; next.done !== true; next = await job.next()) {
        const trial = await this.#place(next.value, start.directory);
        if (trial !== null) yield trial;
      }
    } finally {
      if (next.done !== true) await job.return(undefined as never);
    }
    if (signal.aborted) await this.#cache?.prune(start.directory);
    else await this.#cache?.end(start.directory);
    const result = next.value;
    const missing = this.#missingOf(start.config);
    if (missing === 0 || signal.aborted) return;
    const said = `${result.stdout.text}${result.stderr.text}`;
    if (isResumed && before === this.#yielded && isRefusal(said, start.directory)) {
      log.warn(
        `Harbor does not go on with the job "${start.directory}": it is removed, and the rest is run anew`,
      );
      await this.#cache?.remove(start.directory);
      return;
    }
    if (result.exitCode !== 0) throw jobFailure(result, { missing, redact });
    log.warn(`Harbor ended well, and ${missing} trials did not come`);
  }

  /** Null for a result of no task of the plan, and for one more than was asked for. */
  async #place(found: FoundResult, directory: string): Promise<Trial | null> {
    const taskId = this.#finder.find(found.result)?.task.id;
    const trialIndex = taskId === undefined ? null : this.#seats.take(taskId);
    if (taskId === undefined || trialIndex === null) return null;
    await this.#cache?.record(directory, { ...found, taskId, trialIndex });
    return await this.#adapt(found, { taskId, trialIndex }, false);
  }

  async #adapt(
    { result, directory }: FoundResult,
    place: { readonly taskId: string; readonly trialIndex: number },
    cacheHit: boolean,
  ): Promise<Trial> {
    const { files, redact, clock } = this.#context;
    const staged = await stage(directory, this.#yielded, this.#context);
    this.#yielded += 1;
    const { rewardKey } = this.#batch.options;
    const trial = await trialOf(
      result,
      { ...place, directory: staged.directory },
      { files, redact, rewardKey, now: () => clock.now(), cacheHit },
    );
    if (trial.metadata["reward"] !== null) this.#rewards += 1;
    return staged.scratchDirectory === null
      ? trial
      : { ...trial, scratchDirectory: staged.scratchDirectory };
  }

  #missingOf(config: JsonObject): number {
    const folders = new Set(
      (config["tasks"] as readonly { path: string }[]).map(({ path: at }) => at),
    );
    const ofJob = this.#tasks.filter(({ folder }) => folders.has(folder.directory));
    return ofJob.reduce((sum, { task }) => sum + this.#seats.left(task.id), 0);
  }

  async #tellFigures(): Promise<void> {
    const { addAggregates, options } = this.#batch;
    const { log } = this.#context;
    const documents = await Promise.all(
      this.#jobs.map((directory) => readJobDocument(directory, this.#context)),
    );
    addAggregates(aggregatesOf(documents.filter((document) => document !== null)));
    if (this.#yielded > 0 && this.#rewards === 0)
      log.warn(`no trial has a reward "${options.rewardKey}": none matches reward_key`);
  }
}
