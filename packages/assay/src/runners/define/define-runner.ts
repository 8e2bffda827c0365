import type {
  AgentTaskRunner,
  AttemptChannel,
  PlannedTask,
  RunContext,
  RunnerBinding,
  Trial,
  TrialPlan,
} from "../../contracts/runner.ts";
import type { Task } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { openedLater, runPool } from "../../support/async-pool.ts";
import type { OptionsOutput, OptionTable } from "../../support/options.ts";
import type { RunOne } from "./attempt.ts";
import { checkDefinition } from "./check-definition.ts";
import {
  DescribedRunner,
  type DescribedRunnerFactory,
  type RunnerDescription,
  runnerFactory,
} from "./described-runner.ts";
import type { PlannedTrial } from "./planned-trial.ts";
import { unboundBinding } from "./resolve-options.ts";
import { Cancellation } from "./stop-signal.ts";

export interface RunnerDefinition<T extends OptionTable> extends RunnerDescription<T> {
  /** Seconds one attempt may take; null is no limit. */
  readonly timeLimitS: (options: OptionsOutput<T>) => number | null;
  /** Trials at once; null leaves it to the run. */
  readonly concurrency?: (options: OptionsOutput<T>) => number | null;
  /** Second part of trial ids. */
  readonly trialIdSuffix: (options: OptionsOutput<T>) => string;
  /** Throws what is wrong with a task, before anything is spent. */
  readonly checkTask?: (
    task: Task,
    options: OptionsOutput<T>,
    host: TaskHost,
  ) => void | Promise<void>;
  /** Digest of what a task refers to besides its seeds; null for nothing. It enters the resolved digest. */
  readonly contentDigest?: (task: Task, host: TaskHost) => Promise<string | null>;
  /** Makes one attempt in a process of its own, for a `run` that starts it by `context.suiteProcess`. */
  readonly serve?: (
    order: unknown,
    channel: AttemptChannel,
    options: OptionsOutput<T>,
  ) => Promise<void>;
  /** Produces one trial. Returns a draft, or throws: see `TrialDraft` and `TrialFailure`. */
  readonly run: RunOne<OptionsOutput<T>>;
}

/** What is looked at of a task before any trial. */
export type TaskHost = Pick<RunContext, "baseDir" | "files">;

export type RunnerFactory<T extends OptionTable> = DescribedRunnerFactory<T, RunnerDefinition<T>>;

/**
 * A runner that works one trial at a time. It gives concurrency, time limits, cancellation, new attempts for
 * infrastructure faults, typed failures, and an identity that is made from the very options that run. Throws
 * `ASSAY_TARGET_INVALID` for a definition that lacks something.
 */
export function defineRunner<T extends OptionTable>(
  definition: RunnerDefinition<T>,
): RunnerFactory<T> {
  checkDefinition(definition, {
    maker: "defineRunner",
    functions: ["timeLimitS", "trialIdSuffix", "run"],
  });
  return runnerFactory(definition, (given) => new DefinedRunner(definition, given, unboundBinding));
}

class DefinedRunner<T extends OptionTable> extends DescribedRunner<T, RunnerDefinition<T>> {
  configure(binding: RunnerBinding): AgentTaskRunner {
    return new DefinedRunner(this.definition, this.given, binding);
  }

  async checkTask(task: Task, host: TaskHost): Promise<void> {
    const { checkSeeds } = await import("./check-task.ts");
    await checkSeeds(task, host);
    await this.definition.checkTask?.(task, this.values, host);
  }

  async contentDigest(task: Task, host: TaskHost): Promise<string | null> {
    return (await this.definition.contentDigest?.(task, host)) ?? null;
  }

  async serveAttempt(order: unknown, channel: AttemptChannel): Promise<void> {
    const { name, serve } = this.definition;
    if (serve === undefined) {
      throw new AssayError(
        "ASSAY_TARGET_INVALID",
        `the runner "${name}" runs nothing in a process of the suite`,
      );
    }
    await serve(order, channel, this.values);
  }

  runTasks(plan: TrialPlan, context: RunContext): AsyncIterable<Trial> {
    const planned = plannedTrials(plan.tasks);
    return openedLater({
      open: () => this.#begin(planned, context),
      // Whoever stops reading early wants no further trial begun.
      close: () => void planned.return(),
    });
  }

  async #begin(
    planned: Iterable<PlannedTrial>,
    context: RunContext,
  ): Promise<AsyncIterator<Trial>> {
    const { values } = this;
    const queuedAtMs = context.clock.monotonicMs();
    const { produceTrial } = await import("./produce-trial.ts");
    const limitS = this.definition.timeLimitS(values);
    const setup = {
      options: values,
      tool: this.tool,
      run: this.definition.run,
      timeLimitMs: limitS === null ? null : limitS * 1000,
      agentName: this.definition.name,
      cancellation: new Cancellation(context.signal),
      trialIdSuffix: this.definition.trialIdSuffix(values),
    };
    return runPool({
      items: planned,
      concurrency: this.definition.concurrency?.(values) ?? context.concurrency,
      signal: context.closing,
      work: (place) => produceTrial(setup, place, context, queuedAtMs),
    });
  }
}

function* plannedTrials(tasks: readonly PlannedTask[]): Generator<PlannedTrial, void> {
  for (const { task, taskIndex, trialIndexes } of tasks) {
    for (const trialIndex of trialIndexes) yield { task, taskIndex, trialIndex };
  }
}
