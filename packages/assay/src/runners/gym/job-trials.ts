import path from "node:path";
import type { RunContext, Trial } from "../../contracts/runner.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { listNames } from "../../support/names.ts";
import { formatInstant } from "../../support/timestamps.ts";
import type { JobFiles } from "./collection.ts";
import { withEvidence } from "./evidence.ts";
import { JobBook } from "./job-book.ts";
import type { Job } from "./jobs.ts";
import { failureTrial, type RowContext, rolloutTrial, type TrialPlace } from "./outcome.ts";
import { hasNeverRun } from "./response.ts";
import { gymKeys, type RolloutRow, readRollout } from "./rollout.ts";

const shownTasks = 5;
const maxRowBytes = 64 * 1024 * 1024;

export interface JobTrialsInputs {
  readonly job: Job;
  readonly files: JobFiles;
  readonly rewardKey: string;
  readonly agent: string;
  readonly version: string | null;
  readonly requestedModel: string | null;
  /** Evidence of each trial goes to a directory of its own below this one. */
  readonly directory: string;
  /** The end of what Gym's servers have said. */
  readonly serverLog: () => string;
  readonly context: RunContext;
}

/** Makes the trials of one job of its rows, and tells what is wrong with them. */
export class JobTrials {
  readonly #inputs: JobTrialsInputs;
  readonly #book: JobBook;
  #lineNumber = 0;
  #trialCount = 0;
  #neverRanCount = 0;
  /** Rows by why they have no place. */
  readonly #passedOver = new Map<string, number>();

  constructor(inputs: JobTrialsInputs) {
    this.#inputs = inputs;
    this.#book = new JobBook(inputs.job.tasks);
  }

  /** The trial of a line of the rollouts; null when it has no place. Throws for one of another run. */
  async ofRollout(line: string): Promise<Trial | null> {
    this.#lineNumber += 1;
    if (line.trim() === "") return null;
    const source = `${path.basename(this.#inputs.files.rollouts)}:${this.#lineNumber}`;
    const row = this.#read(line, source);
    if (row === null) return null;
    const placed = this.#book.success(row);
    if ("place" in placed) return await this.#trialOf({ row, line }, placed.place, rolloutTrial);
    if (placed.problem === "unknown") {
      const known = this.#book.taskIndexes;
      throw new AssayError(
        "ASSAY_RUNNER_FAILED",
        `${source}: ${gymKeys.taskIndex} ${row.taskIndex} is not one of ${listNames(known.map(String), shownTasks)}`,
        { remedy: "The file is not of this run: give Gym a work_dir of its own." },
      );
    }
    const reason =
      placed.problem === "no_index"
        ? "no index of a task"
        : "an index that was not asked for, or came before";
    this.#passOver(reason);
    return null;
  }

  /** The trials that Gym says failed. For after its end: one that failed first and then came is no failure. */
  async *ofFailures(): AsyncGenerator<Trial> {
    const { files } = this.#inputs.context;
    const { failures } = this.#inputs.files;
    if ((await files.stat(failures)) === null) return;
    const lines = files.readLines(failures, { refuseLink: true, maxLineBytes: maxRowBytes });
    for await (const line of lines) {
      const trial = await this.#failureOf(line);
      if (trial !== null) yield trial;
    }
  }

  async #failureOf(line: string): Promise<Trial | null> {
    if (line.trim() === "") return null;
    const row = this.#read(line, path.basename(this.#inputs.files.failures));
    if (row === null) return null;
    const placed = this.#book.failure(row);
    if ("place" in placed) return await this.#trialOf({ row, line }, placed.place, failureTrial);
    const reasons = {
      no_index: "a failure without an index of a task",
      unknown: "a failure of a task that was not asked for",
      extra: "a failure of a rollout that came, or failed, before",
    };
    this.#passOver(reasons[placed.problem]);
    return null;
  }

  async #trialOf(
    { row, line }: { readonly row: RolloutRow; readonly line: string },
    place: TrialPlace,
    make: (row: RolloutRow, place: TrialPlace, context: RowContext) => Trial,
  ): Promise<Trial> {
    const { rewardKey, requestedModel, directory, version, agent, context } = this.#inputs;
    const instant = formatInstant(context.clock.now());
    const trial = make(row, place, { rewardKey, instant, requestedModel, attemptCause: "ended" });
    this.#trialCount += 1;
    if (trial.output !== null && hasNeverRun(trial.output.response)) this.#neverRanCount += 1;
    const own = path.join(directory, String(this.#trialCount));
    const serverLog = trial.status === "failed" ? this.#inputs.serverLog() : "";
    const evidence = { row, line, directory: own, version, agent, serverLog };
    return await withEvidence(trial, evidence, context.files);
  }

  /** Null for what is no row, or longer than is read of one: what the others say stays. */
  #read(line: string, source: string): RolloutRow | null {
    try {
      return readRollout(line, source);
    } catch (thrown) {
      this.#inputs.context.log.debug(messageOf(thrown));
      this.#passOver("a line that is no JSON object, or too long");
      return null;
    }
  }

  #passOver(reason: string): void {
    this.#passedOver.set(reason, (this.#passedOver.get(reason) ?? 0) + 1);
  }

  tellPassedOver(): void {
    for (const [reason, count] of this.#passedOver)
      this.#inputs.context.log.warn(`${count} rows of Gym were passed over: ${reason}`);
  }

  /** After the end of a job that ended well: throws when that cannot be. */
  async checkEnd(): Promise<void> {
    const { context, files } = this.#inputs;
    const [rollouts, failures] = [files.rollouts, files.failures].map((file) =>
      path.basename(file),
    );
    if ((await context.files.stat(files.rollouts)) === null)
      throw failed(`Gym ended well and left no ${rollouts}`);
    if (this.#trialCount > 0 && this.#neverRanCount === this.#trialCount) {
      throw failed(
        `No agent ran: each of ${this.#trialCount} rollouts has no output, and no token was sent to a model`,
        "Read server_log in the evidence of a trial: the servers say there what they met.",
      );
    }
    const empty = this.#book.emptyTasks.map(({ task }) => `"${task.id}"`);
    if (empty.length > 0)
      throw failed(
        `Gym ended well, and neither ${rollouts} nor ${failures} has a row of ${listNames(empty, shownTasks)}`,
      );
  }
}

function failed(
  message: string,
  remedy = "With the option work_dir Gym's files and logs are kept.",
): AssayError {
  return new AssayError("ASSAY_RUNNER_FAILED", message, { remedy });
}
