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
import { RunStop } from "./run-stop.ts";
import type { SpendingLimits } from "./spending.ts";
import { type StopCause, storeFailed } from "./stop-cause.ts";
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
  readonly #stop: RunStop;
  readonly #drain = new Drain();
  readonly #intake: Intake;
  readonly #passages = new Passages(maxInPassage);
  /** Of what is stored. */
  readonly #tally: Tally;
  readonly #scoring: ScoringDesk;
  readonly #missing = new MissingTrials();
  readonly #breaker = new Breaker();

  constructor(run: PreparedRun, session: Session, limits: SpendingLimits) {
    const { door, plan, tally, earlier } = session;
    this.#run = run;
    this.#session = session;
    this.#door = door;
    this.#tally = tally;
    this.#stop = new RunStop({
      limits,
      tally,
      clock: run.platform.clock,
      emit: run.emit,
      onHalt: () => this.#abandon(),
    });
    this.#intake = new Intake(plan, (taskId, id, trialIndex) =>
      hasOtherTrial(earlier, { taskId, id, trialIndex }),
    );
    this.#scoring = new ScoringDesk({
      run,
      door,
      tally,
      signal: this.#stop.cancelled,
      halt: (cause) => this.#stop.halt(cause),
    });
  }

  async execute(outer: AbortSignal): Promise<Execution> {
    void this.#door.failure.then((cause) => this.#stop.halt(storeFailed(cause)));
    await this.#stop.during(outer, async () => {
      await this.#scoreEarlierTrials();
      this.#stop.closeAtLimit();
      if (!this.#stop.closing.aborted) await this.#drainRunner();
      await this.#passages.idle();
      await this.#writeMissing();
      await this.#scoring.finish();
    });
    return { tally: this.#tally, stop: this.#stop.cause ?? this.#missing.cause() };
  }

  /** Scores that wait are not given any more, and the runner is not waited for without end. */
  #abandon(): void {
    this.#scoring.clear();
    void this.#leaveRunner();
  }

  /** The runner has the grace of its trials, twice over, to give what is finished and to end. */
  async #leaveRunner(): Promise<void> {
    await this.#run.platform.clock.sleep(trialGraceMs * 4, this.#stop.over).then(
      () => this.#drain.leave(),
      () => {
        // It ended in time.
      },
    );
  }

  /** Trials of an earlier start of the run whose scores did not come, or failed and are to be repeated. */
  async #scoreEarlierTrials(): Promise<void> {
    const { earlier, door } = this.#session;
    if (earlier === null) return;
    const reader = await BundleReader.open(door.dir, this.#run.platform.files);
    for await (const trial of unscoredTrials(reader, earlier)) {
      if (this.#stop.cancelled.aborted) return;
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
        signal: this.#stop.cancelled,
        closing: this.#stop.closing,
        onAttemptEnd: (attempt) => this.#stop.spend(attempt),
        onLostAttempts: (lost) => this.#keepLost(lost),
      });
      const stream: unknown = target.runner.runTasks(this.#session.plan, context);
      await this.#drain.each(stream, (value) => {
        this.#receive(value);
        const isFull = this.#passages.isFull || this.#door.isFull || this.#scoring.isFull;
        return isFull ? this.#room() : null;
      });
    } catch (thrown) {
      const isOurs = AssayError.isInstance(thrown);
      const failure = `the runner ended with an error: ${isOurs ? thrown.message : describeThrown(thrown)}`;
      this.#missing.runnerFailure = failure;
      if (this.#stop.cancelled.aborted) return;
      this.#warn(isOurs ? `${failure}\n  fix: ${thrown.remedy}` : failure);
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
    const fail = (cause: unknown) => this.#stop.halt(storeFailed(cause));
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
      this.#stop.halt({ kind: "fail_fast", message: `fail_fast: trial "${id}" failed` });
    const broken = this.#breaker.add(stored);
    if (broken !== null) this.#stop.close(broken);
    this.#stop.closeAtLimit();
    this.#stop.tellUnmeasured();
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
      if (this.#stop.closing.aborted) break;
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
