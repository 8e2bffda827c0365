import { setMaxListeners } from "node:events";
import type { StoredTrial, WriteDoor } from "../../bundle/write-door.ts";
import type { RunContext, Trial } from "../../contracts/runner.ts";
import { AssayError, describeThrown, messageOf } from "../../errors/assay-error.ts";
import { formatInstant } from "../../support/timestamps.ts";
import type { PreparedRun } from "../run-state.ts";
import { ScoringDesk } from "../scoring/scoring-desk.ts";
import { failedTrial, Intake, type MissingTrial, validTrial } from "./intake.ts";
import type { StopCause } from "./stop-cause.ts";
import { Tally } from "./tally.ts";

/** How the part of a run ended that costs money. */
export interface Execution {
  readonly tally: Tally;
  /** Why it ended before its plan, or null. */
  readonly stop: StopCause | null;
}

/** Trials on their way through the door at once; more wait. */
const maxInPassage = 64;
const trialGraceMs = 5000;

/** Drains the runner, journals each trial on receipt, scores it from then on, with its own concurrency. */
export async function execute(
  run: PreparedRun,
  door: WriteDoor,
  signal: AbortSignal,
): Promise<Execution> {
  return await new Executor(run, door, signal).execute();
}

class Executor {
  readonly #run: PreparedRun;
  readonly #door: WriteDoor;
  readonly #outer: AbortSignal;
  readonly #cancel = new AbortController();
  readonly #intake: Intake;
  readonly #tally = new Tally();
  readonly #scoring: ScoringDesk;
  readonly #passages = new Set<Promise<void>>();
  #stop: StopCause | null = null;

  constructor(run: PreparedRun, door: WriteDoor, outer: AbortSignal) {
    this.#run = run;
    this.#door = door;
    this.#outer = outer;
    this.#intake = new Intake(run.plan);
    this.#scoring = new ScoringDesk({
      run,
      door,
      tally: this.#tally,
      signal: this.#cancel.signal,
      halt: (stop) => this.#halt(stop),
    });
    setMaxListeners(0, this.#cancel.signal);
  }

  async execute(): Promise<Execution> {
    const interrupt = () =>
      this.#halt({ kind: "interrupted", message: interruptReason(this.#outer) });
    if (this.#outer.aborted) interrupt();
    this.#outer.addEventListener("abort", interrupt, { once: true });
    try {
      await this.#drainRunner();
      await this.#settlePassages();
      await this.#writeMissing();
      await this.#scoring.idle();
      await this.#settlePassages();
    } finally {
      this.#outer.removeEventListener("abort", interrupt);
    }
    return { tally: this.#tally, stop: this.#stop };
  }

  get #isCancelled(): boolean {
    return this.#cancel.signal.aborted;
  }

  /** The first cause counts. */
  #halt(stop: StopCause): void {
    if (this.#stop !== null) return;
    this.#stop = stop;
    if (stop.kind === "runner_failed" || stop.kind === "missing_trials") return;
    this.#run.emit({ type: "cancelling", reason: stop.message });
    this.#cancel.abort(new AssayError("ASSAY_CANCELLED", stop.message));
    this.#scoring.clear();
  }

  async #drainRunner(): Promise<void> {
    const trials = this.#run.target.runner
      .runTasks(this.#run.plan, this.#context())
      [Symbol.asyncIterator]();
    const hardStop = this.#hardStop();
    try {
      while (true) {
        const next = await Promise.race([trials.next(), hardStop]);
        if (next === "stop" || next.done === true) break;
        this.#receive(next.value);
        if (this.#passages.size >= maxInPassage) await Promise.race(this.#passages);
        await this.#door.room();
      }
    } catch (thrown) {
      if (!this.#isCancelled) {
        this.#halt({
          kind: "runner_failed",
          message: `the runner ended with an error: ${describeThrown(thrown)}`,
          cause: thrown,
        });
      }
    }
  }

  /** A runner that does not end after its signal is left behind, so that what is finished is kept. */
  #hardStop(): Promise<"stop"> {
    return new Promise((resolve) => {
      this.#cancel.signal.addEventListener(
        "abort",
        () => void this.#run.platform.clock.sleep(trialGraceMs * 4).then(() => resolve("stop")),
        { once: true },
      );
    });
  }

  #context(): RunContext {
    const { runId, scratch, suite, concurrency, log, secrets, platform, process } = this.#run;
    return {
      runId,
      scratch,
      baseDir: suite.baseDir,
      signal: this.#cancel.signal,
      concurrency,
      limits: { attemptsPerTrial: 2, graceMs: trialGraceMs, evidenceFileBytes: 64 * 1024 * 1024 },
      log,
      secrets,
      process,
      files: platform.files,
      clock: platform.clock,
      random: platform.random,
    };
  }

  #receive(trial: Trial): void {
    const taken = this.#intake.take(trial);
    if ("dropped" in taken) {
      this.#run.emit({
        type: "warning",
        message: this.#run.redactor.text(`dropped ${taken.dropped}`),
      });
      return;
    }
    this.#pass(validTrial(trial, formatInstant(this.#run.platform.clock.now())), taken.taskIndex);
  }

  /** Lets one trial through the door and scores it, while the runner goes on. */
  #pass(trial: Trial, taskIndex: number): void {
    const passage = this.#passThrough(trial, taskIndex)
      .catch((cause: unknown) =>
        this.#halt({ kind: "store_failed", message: messageOf(cause), cause }),
      )
      .finally(() => this.#passages.delete(passage));
    this.#passages.add(passage);
  }

  async #passThrough(trial: Trial, taskIndex: number): Promise<void> {
    const stored = await this.#door.admit(trial, taskIndex);
    const isDurable = this.#door.appendTrial(stored);
    this.#tally.addTrial(stored);
    if (trial.scratchDirectory !== undefined)
      await this.#run.platform.files.remove(trial.scratchDirectory);
    this.#scoring.enqueue(stored, taskIndex);
    if (stored.record.status === "failed" && this.#run.failFast) {
      this.#halt({ kind: "fail_fast", message: `fail_fast: trial "${stored.record.id}" failed` });
    }
    void isDurable.then(
      () => this.#reportTrial(stored),
      (cause: unknown) => this.#halt({ kind: "store_failed", message: messageOf(cause), cause }),
    );
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

  async #settlePassages(): Promise<void> {
    while (this.#passages.size > 0) await Promise.all(this.#passages);
  }

  /** A planned trial that never came, in a run that was not interrupted, is a failed trial. */
  async #writeMissing(): Promise<void> {
    if (this.#isCancelled) return;
    const missing: MissingTrial[] = [];
    for (const place of this.#intake.missing()) {
      missing.push(place);
      this.#pass(this.#missingTrial(place), place.taskIndex);
      if (this.#passages.size >= maxInPassage) await Promise.race(this.#passages);
    }
    if (missing.length === 0) return;
    const [first] = missing;
    this.#tally.missing = missing.length;
    this.#halt({
      kind: "missing_trials",
      message: `${missing.length} planned trial(s) never came, the first of task "${first?.taskId ?? ""}" (index ${first?.trialIndex ?? 0})`,
    });
    await this.#settlePassages();
  }

  #missingTrial({ taskId, trialIndex }: MissingTrial): Trial {
    const instant = formatInstant(this.#run.platform.clock.now());
    return {
      ...failedTrial({
        id: `${taskId}:missing:${trialIndex}`,
        taskId,
        trialIndex,
        error: {
          type: "MissingTrial",
          message: this.#stop?.message ?? "the runner never gave this trial",
          traceback: null,
          occurredAt: instant,
        },
      }),
      attempts: [
        {
          cause: "missing",
          fault: "infrastructure",
          errorType: "MissingTrial",
          startedAt: instant,
          durationMs: 0,
        },
      ],
    };
  }
}

function interruptReason(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  return typeof reason === "string" ? reason : messageOf(reason);
}
