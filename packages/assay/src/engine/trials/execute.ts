import { BundleReader } from "../../bundle/read-bundle.ts";
import type { StoredTrial, WriteDoor } from "../../bundle/write-door.ts";
import type { RunContext, Trial } from "../../contracts/runner.ts";
import { AssayError, describeThrown, messageOf } from "../../errors/assay-error.ts";
import { isBelow } from "../../support/paths.ts";
import { hasOtherTrial, unscoredTrials } from "../resume/earlier-trials.ts";
import type { PreparedRun } from "../run-state.ts";
import { redactionsOfTrial } from "../scoring/redaction-note.ts";
import { ScoringDesk } from "../scoring/scoring-desk.ts";
import type { Session } from "../session.ts";
import { suiteProcessOf } from "../suite/suite-process.ts";
import { Drain } from "./drain.ts";
import { Intake, type MissingTrial } from "./intake.ts";
import { Passages } from "./passages.ts";
import type { StopCause } from "./stop-cause.ts";
import type { Tally } from "./tally.ts";
import { failedTrial, validTrial } from "./valid-trial.ts";

/** How the part of a run ended that costs money. */
export interface Execution {
  readonly tally: Tally;
  /** Why it ended before its plan, or null. */
  readonly stop: StopCause | null;
}

/** Trials on their way through the door at once; more wait. */
const maxInPassage = 64;
const trialGraceMs = 5000;
const shownMissing = 5;
const evidenceFileBytes = 64 * 1024 * 1024;

/** Drains the runner, journals each trial on receipt, scores it from then on, with its own concurrency. */
export async function execute(
  run: PreparedRun,
  session: Session,
  signal: AbortSignal,
): Promise<Execution> {
  return await new Executor(run, session).execute(signal);
}

class Executor {
  readonly #run: PreparedRun;
  readonly #session: Session;
  readonly #door: WriteDoor;
  readonly #cancel = new AbortController();
  readonly #isOver = new AbortController();
  readonly #drain = new Drain();
  readonly #intake: Intake;
  readonly #passages = new Passages(maxInPassage);
  readonly #tally: Tally;
  readonly #scoring: ScoringDesk;
  readonly #missing: MissingTrial[] = [];
  #stop: StopCause | null = null;
  /** What the runner threw, when it did. */
  #runnerFailure: string | null = null;

  constructor(run: PreparedRun, session: Session) {
    const { door, plan, tally, earlier } = session;
    this.#run = run;
    this.#session = session;
    this.#door = door;
    this.#tally = tally;
    this.#intake = new Intake(plan, (taskId, id, trialIndex) =>
      hasOtherTrial(earlier, { taskId, id, trialIndex }),
    );
    this.#scoring = new ScoringDesk({
      run,
      door,
      tally,
      signal: this.#cancel.signal,
      halt: (stop) => this.#halt(stop),
    });
  }

  async execute(outer: AbortSignal): Promise<Execution> {
    const interrupt = () => this.#halt({ kind: "interrupted", message: reasonOf(outer) });
    if (outer.aborted) interrupt();
    outer.addEventListener("abort", interrupt, { once: true });
    try {
      await this.#scoreEarlierTrials();
      if (!this.#isCancelled) await this.#drainRunner();
      await this.#passages.idle();
      await this.#writeMissing();
      await this.#scoring.finish();
    } finally {
      outer.removeEventListener("abort", interrupt);
      this.#isOver.abort("over");
    }
    return { tally: this.#tally, stop: this.#stop ?? this.#missingTrials() };
  }

  get #isCancelled(): boolean {
    return this.#cancel.signal.aborted;
  }

  /** Cancels what is in flight. The first cause counts; only what cannot be stored is worse. */
  #halt(stop: StopCause): void {
    const isWorse = stop.kind === "store_failed" && this.#stop?.kind !== "store_failed";
    if (this.#stop === null || isWorse) this.#stop = stop;
    if (this.#isCancelled) return;
    this.#run.emit({ type: "cancelling", reason: stop.message });
    this.#cancel.abort(new AssayError("ASSAY_CANCELLED", stop.message));
    this.#scoring.clear();
    void this.#leaveRunner();
  }

  /** The runner has the grace of its trials, twice over, to give what is finished and to end. */
  async #leaveRunner(): Promise<void> {
    const isLate = await this.#run.platform.clock.sleep(trialGraceMs * 4, this.#isOver.signal).then(
      () => true,
      () => false,
    );
    if (isLate) this.#drain.leave();
  }

  /** Trials of an earlier start of the run whose scores did not come, or failed and are to be repeated. */
  async #scoreEarlierTrials(): Promise<void> {
    const { earlier, door } = this.#session;
    if (earlier === null) return;
    const reader = await BundleReader.open(door.dir, this.#run.platform.files);
    for await (const trial of unscoredTrials(reader, earlier)) {
      if (this.#isCancelled) return;
      this.#scoring.enqueue(trial);
      await this.#scoring.room();
    }
  }

  #earlierAttempts({ taskId, trialIndex }: Trial): number {
    const book = this.#session.earlier?.recovery.book;
    const place = book?.placeOf(taskId, trialIndex) ?? null;
    return place === null ? 0 : (book?.attemptCount(place) ?? 0);
  }

  async #drainRunner(): Promise<void> {
    const { target } = this.#run;
    if (this.#session.plan.trialCount === 0) return;
    try {
      const stream: unknown = target.runner.runTasks(this.#session.plan, this.#context());
      for await (const value of this.#drain.valuesOf(stream)) {
        this.#receive(value);
        await this.#passages.room();
        await this.#door.room();
      }
    } catch (thrown) {
      this.#runnerFailure = `the runner ended with an error: ${describeThrown(thrown)}`;
      if (!this.#isCancelled) this.#warn(this.#runnerFailure);
    }
  }

  #context(): RunContext {
    const { runId, scratch, suite, concurrency, log, secrets, redactor, platform, process } =
      this.#run;
    return {
      runId,
      scratch,
      baseDir: suite.baseDir,
      signal: this.#cancel.signal,
      concurrency,
      limits: { attemptsPerTrial: 2, graceMs: trialGraceMs, evidenceFileBytes },
      log,
      secrets,
      redact: redactor.text,
      process,
      files: platform.files,
      clock: platform.clock,
      random: platform.random,
      ...suiteProcessOf(suite, platform),
    };
  }

  #receive(value: unknown): void {
    const taken = this.#intake.take(value);
    if ("dropped" in taken) {
      this.#warn(`the runner gave ${taken.dropped}: dropped`);
      return;
    }
    if (taken.note !== null) this.#warn(taken.note);
    this.#pass(validTrial(taken.trial, this.#run.platform.clock.now()), taken.taskIndex);
  }

  /** Lets one trial through the door and scores it, while the runner goes on. */
  #pass(trial: Trial, taskIndex: number): void {
    const passage = this.#passThrough(trial, taskIndex);
    this.#passages.add(passage.catch((cause: unknown) => this.#halt(storeFailed(cause))));
  }

  async #passThrough(trial: Trial, taskIndex: number): Promise<void> {
    const earlierAttempts = this.#earlierAttempts(trial);
    const stored = await this.#door.admit(trial, { taskIndex, earlierAttempts });
    this.#door.appendTrial(stored).then(
      () => this.#reportTrial(stored),
      (cause: unknown) => this.#halt(storeFailed(cause)),
    );
    this.#tally.addTrial(stored);
    const redactionCount = redactionsOfTrial(stored.rows);
    this.#scoring.enqueue({ trial: stored.record, taskIndex, redactionCount });
    const { id, status } = stored.record;
    if (status === "failed" && this.#run.failFast)
      this.#halt({ kind: "fail_fast", message: `fail_fast: trial "${id}" failed` });
    if (trial.scratchDirectory !== undefined) await this.#discard(trial.scratchDirectory);
  }

  /** What is left after the import goes early, so that a long run does not fill the disk; the rest goes at its end. */
  async #discard(directory: string): Promise<void> {
    const { scratch, platform } = this.#run;
    if (!isBelow(scratch, directory)) {
      this.#warn(`the runner asked to remove "${directory}", which lies outside its scratch`);
      return;
    }
    await platform.files.remove(directory).catch((thrown: unknown) => {
      this.#warn(`"${directory}" is left until the end of the run: ${messageOf(thrown)}`);
    });
  }

  #reportTrial({ record, attempts }: StoredTrial): void {
    this.#run.emit({
      type: "trial-end",
      trialId: record.id,
      taskId: record.taskId,
      status: record.status,
      errorType: record.error?.type ?? null,
      durationMs: attempts.at(-1)?.durationMs ?? null,
    });
  }

  /** A planned trial that never came, in a run that was not cancelled, is a failed trial. */
  async #writeMissing(): Promise<void> {
    for (const place of this.#intake.missing()) {
      if (this.#isCancelled) break;
      this.#missing.push(place);
      this.#pass(this.#missingTrial(place), place.taskIndex);
      await this.#passages.room();
    }
    await this.#passages.idle();
  }

  #missingTrial({ taskId, trialIndex }: MissingTrial): Trial {
    const message = this.#runnerFailure ?? "the runner never gave this trial";
    return failedTrial(
      { id: `${taskId}:missing:${trialIndex}`, taskId, trialIndex },
      { type: "MissingTrial", message },
      { cause: "missing", now: this.#run.platform.clock.now() },
    );
  }

  #missingTrials(): StopCause | null {
    const missing = this.#missing;
    if (missing.length === 0) return null;
    const shown = missing
      .slice(0, shownMissing)
      .map(({ taskId, trialIndex }) => `"${taskId}" (index ${trialIndex})`);
    const more = missing.length > shownMissing ? `, and ${missing.length - shownMissing} more` : "";
    const why = this.#runnerFailure === null ? "" : `; ${this.#runnerFailure}`;
    const message = `planned trials that never came: ${shown.join(", ")}${more}${why}`;
    return { kind: "missing_trials", message };
  }

  #warn(message: string): void {
    this.#run.emit({ type: "warning", message });
  }
}

function storeFailed(cause: unknown): StopCause {
  return { kind: "store_failed", message: messageOf(cause), cause };
}

function reasonOf(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  return typeof reason === "string" ? reason : messageOf(reason);
}
