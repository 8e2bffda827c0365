import type { ReceivedTrial } from "../../bundle/admit-trial.ts";
import { BundleReader } from "../../bundle/read-bundle.ts";
import type { StoredTrial, WriteDoor } from "../../bundle/write-door.ts";
import type { LostAttempts, Trial } from "../../contracts/runner.ts";
import { AssayError, describeThrown, messageOf } from "../../errors/assay-error.ts";
import { attemptRecordSchema } from "../../schema/attempt.ts";
import { isPending } from "../../support/is-pending.ts";
import { isBelow } from "../../support/paths.ts";
import type { RunEvent } from "../api.ts";
import { hasOtherTrial, unscoredTrials } from "../resume/earlier-trials.ts";
import type { PreparedRun } from "../run-state.ts";
import { redactionsOfTrial } from "../scoring/redaction-note.ts";
import { ScoringDesk } from "../scoring/scoring-desk.ts";
import type { Session } from "../session.ts";
import { Breaker } from "./breaker.ts";
import { Drain } from "./drain.ts";
import { Intake } from "./intake.ts";
import { MissingTrials } from "./missing-trials.ts";
import { Passages } from "./passages.ts";
import { runContextOf, trialGraceMs } from "./run-context.ts";
import { limitReached, type SpendingLimits, unmeasuredLimits } from "./spending.ts";
import { graver, type StopCause, storeFailed } from "./stop-cause.ts";
import type { Tally } from "./tally.ts";
import { validTrial } from "./valid-trial.ts";

/** How the part of a run ended that costs money. */
export interface Execution {
  readonly tally: Tally;
  /** Why it ended before its plan, or null. */
  readonly stop: StopCause | null;
}

/** Trials on their way through the door at once; more wait. */
const maxInPassage = 64;

/** Drains the runner, journals each trial on receipt, scores it from then on, with its own concurrency. */
export async function execute(
  run: PreparedRun,
  session: Session,
  { signal, limits }: { readonly signal: AbortSignal; readonly limits: SpendingLimits },
): Promise<Execution> {
  return await new Executor(run, session, limits).execute(signal);
}

class Executor {
  readonly #run: PreparedRun;
  readonly #session: Session;
  readonly #door: WriteDoor;
  readonly #limits: SpendingLimits;
  readonly #cancel = new AbortController();
  /** Aborted when no further trial is to begin. */
  readonly #closing = new AbortController();
  readonly #isOver = new AbortController();
  readonly #drain = new Drain();
  readonly #intake: Intake;
  readonly #passages = new Passages(maxInPassage);
  /** Of what is stored. */
  readonly #tally: Tally;
  /** Of attempts as they end, where the runner tells them: they are stored later. */
  readonly #spent: Tally;
  readonly #scoring: ScoringDesk;
  readonly #missing = new MissingTrials();
  readonly #breaker = new Breaker();
  #stop: StopCause | null = null;
  #hasToldUnmeasured = false;

  constructor(run: PreparedRun, session: Session, limits: SpendingLimits) {
    const { door, plan, tally, earlier } = session;
    this.#limits = limits;
    this.#run = run;
    this.#session = session;
    this.#door = door;
    this.#tally = tally;
    this.#spent = tally.copy();
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
    void this.#closeInTime();
    void this.#door.failure.then((cause) => this.#halt(storeFailed(cause)));
    try {
      await this.#scoreEarlierTrials();
      this.#closeAtLimit();
      if (!this.#isClosing) await this.#drainRunner();
      await this.#passages.idle();
      await this.#writeMissing();
      await this.#scoring.finish();
    } finally {
      outer.removeEventListener("abort", interrupt);
      this.#isOver.abort("over");
    }
    return { tally: this.#tally, stop: this.#stop ?? this.#missing.cause() };
  }

  get #isCancelled(): boolean {
    return this.#cancel.signal.aborted;
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }

  /** Begins no further trial; those that run go on to their end. */
  #close(message: string): void {
    if (this.#isClosing) return;
    this.#stop = graver(this.#stop, { kind: "limit_reached", message });
    this.#warn(`${message}; no further trial is begun, those that run go on`);
    this.#closing.abort(new AssayError("ASSAY_CANCELLED", message));
  }

  #closeAtLimit(): void {
    const reached =
      limitReached(this.#limits, this.#spent) ?? limitReached(this.#limits, this.#tally);
    if (reached !== null) this.#close(reached);
  }

  async #closeInTime(): Promise<void> {
    const { maxDurationS } = this.#limits;
    if (maxDurationS === undefined) return;
    await this.#run.platform.clock.sleep(maxDurationS * 1000, this.#isOver.signal).then(
      () => this.#close(`limit reached: the run took ${maxDurationS} s (max-duration)`),
      () => {
        // The run ended before.
      },
    );
  }

  /** Cancels what is in flight. */
  #halt(stop: StopCause): void {
    this.#stop = graver(this.#stop, stop);
    if (this.#isCancelled) return;
    this.#run.emit({ type: "cancelling", reason: stop.message });
    this.#closing.abort(new AssayError("ASSAY_CANCELLED", stop.message));
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

  /** What cancelled attempts cost is written too: it counts when the run is resumed. */
  #keepLost({ attempts, ...place }: LostAttempts): void {
    const earlier = this.#earlierAttempts(place);
    const records = attempts.map((attempt, index) =>
      attemptRecordSchema.parse({ ...attempt, ...place, attemptIndex: earlier + index }),
    );
    for (const record of records) this.#tally.addAttempt(record);
    void this.#door.appendAttempts(records);
  }

  #earlierAttempts({ taskId, trialIndex }: Pick<Trial, "taskId" | "trialIndex">): number {
    const book = this.#session.earlier?.recovery.book;
    const place = book?.placeOf(taskId, trialIndex) ?? null;
    return place === null ? 0 : (book?.attemptCount(place) ?? 0);
  }

  async #drainRunner(): Promise<void> {
    const { target } = this.#run;
    if (this.#session.plan.trialCount === 0) return;
    try {
      const context = runContextOf(this.#run, {
        signal: this.#cancel.signal,
        closing: this.#closing.signal,
        onAttemptEnd: (attempt) => {
          this.#spent.addAttempt(attempt);
          this.#closeAtLimit();
        },
        onLostAttempts: (lost) => this.#keepLost(lost),
      });
      const stream: unknown = target.runner.runTasks(this.#session.plan, context);
      await this.#drain.each(stream, (value) => {
        this.#receive(value);
        const isFull = this.#passages.isFull || this.#door.isFull || this.#scoring.isFull;
        return isFull ? this.#room() : null;
      });
    } catch (thrown) {
      const failure = `the runner ended with an error: ${describeThrown(thrown)}`;
      this.#missing.runnerFailure = failure;
      if (!this.#isCancelled) this.#warn(failure);
    }
  }

  async #room(): Promise<void> {
    await this.#passages.room();
    await this.#door.room();
    await this.#scoring.room();
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

  /** Lets one trial through the door and scores it. While its evidence is imported the runner goes on. */
  #pass(trial: ReceivedTrial, taskIndex: number): void {
    const fail = (cause: unknown) => this.#halt(storeFailed(cause));
    try {
      const { record, trialIndex, scratchDirectory } = trial;
      const earlierAttempts = this.#earlierAttempts({ taskId: record.taskId, trialIndex });
      const stored = this.#door.admit(trial, { taskIndex, earlierAttempts });
      if (isPending(stored) || scratchDirectory !== null)
        this.#passages.add(this.#import(stored, taskIndex, scratchDirectory).catch(fail));
      else this.#keep(stored, taskIndex);
    } catch (cause) {
      fail(cause);
    }
  }

  async #import(
    stored: StoredTrial | Promise<StoredTrial>,
    taskIndex: number,
    scratchDirectory: string | null,
  ): Promise<void> {
    this.#keep(await stored, taskIndex);
    if (scratchDirectory !== null) await this.#discard(scratchDirectory);
  }

  #keep(stored: StoredTrial, taskIndex: number): void {
    void this.#door.appendTrial(stored, this.#run.reportOf(endOf(stored)));
    this.#tally.addTrial(stored);
    const { record, rows } = stored;
    const trialBytes = rows.trials.reduce((sum, { length }) => sum + length, 0);
    const redactionCount = redactionsOfTrial(rows);
    this.#scoring.enqueue({ trial: record, taskIndex, trialBytes, redactionCount });
    this.#stopAfter(stored);
  }

  #stopAfter(stored: StoredTrial): void {
    const { id, status } = stored.record;
    if (status === "failed" && this.#run.failFast)
      this.#halt({ kind: "fail_fast", message: `fail_fast: trial "${id}" failed` });
    const broken = this.#breaker.add(stored);
    if (broken !== null) this.#close(broken);
    this.#closeAtLimit();
    if (this.#hasToldUnmeasured) return;
    this.#hasToldUnmeasured = true;
    for (const message of unmeasuredLimits(this.#limits, this.#tally)) this.#warn(message);
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

  /** A planned trial that never came, in a run that was not stopped, is a failed trial. */
  async #writeMissing(): Promise<void> {
    for (const place of this.#intake.missing()) {
      if (this.#isClosing) break;
      this.#pass(this.#missing.add(place, this.#run.platform.clock.now()), place.taskIndex);
      await this.#passages.room();
    }
    await this.#passages.idle();
  }

  #warn(message: string): void {
    this.#run.emit({ type: "warning", message });
  }
}

function endOf({ record, attempts }: StoredTrial): RunEvent {
  return {
    type: "trial-end",
    trialId: record.id,
    taskId: record.taskId,
    status: record.status,
    errorType: record.error?.type ?? null,
    durationMs: attempts.at(-1)?.durationMs ?? null,
  };
}

function reasonOf(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  return typeof reason === "string" ? reason : messageOf(reason);
}
