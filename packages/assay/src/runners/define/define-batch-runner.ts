import type {
  AgentTaskRunner,
  RunContext,
  RunnerBinding,
  ToolFacts,
  Trial,
  TrialPlan,
} from "../../contracts/runner.ts";
import type { Task } from "../../contracts/task.ts";
import type { Aggregate } from "../../schema/summary.ts";
import type { OptionsOutput, OptionTable } from "../../support/options.ts";
import { checkDefinition } from "./check-definition.ts";
import {
  DescribedRunner,
  type DescribedRunnerFactory,
  type RunnerDescription,
  runnerFactory,
} from "./described-runner.ts";
import { unboundBinding } from "./resolve-options.ts";

/** All trials that one call is to produce, with everything that is needed for it. */
export interface Batch<O> {
  readonly plan: TrialPlan;
  readonly options: O;
  /** What the probe found. */
  readonly tool: ToolFacts;
  readonly context: RunContext;
  /** Figures of the backend over the whole run; names begin `runner.<name>.`. */
  addAggregates(aggregates: readonly Aggregate[]): void;
}

export interface BatchRunnerDefinition<T extends OptionTable> extends RunnerDescription<T> {
  readonly checkTask?: (
    task: Task,
    options: OptionsOutput<T>,
    context: Pick<RunContext, "baseDir" | "files">,
  ) => void | Promise<void>;
  /** Digest of what a task refers to besides its seeds; null for nothing. It enters the resolved digest. */
  readonly contentDigest?: (
    task: Task,
    options: OptionsOutput<T>,
    context: Pick<RunContext, "baseDir" | "files">,
  ) => Promise<string | null>;
  /** Whether so many trials of each task agree with the options; throws `user` errors. */
  readonly checkPlan?: (plan: Pick<TrialPlan, "trialsPerTask">, options: OptionsOutput<T>) => void;
  /**
   * Has a backend produce the trials, and yields each as it appears. When `context.signal` aborts it ends the backend,
   * yields what is finished, and returns; when `context.closing` does, it begins no further job of the backend.
   */
  readonly runAll: (batch: Batch<OptionsOutput<T>>) => AsyncIterable<Trial>;
}

export type BatchRunnerFactory<T extends OptionTable> = DescribedRunnerFactory<
  T,
  BatchRunnerDefinition<T>
>;

/**
 * A runner that hands its whole plan to a backend with a schedule, limits and retries of its own. The identity is made
 * from the very options that run. Throws `ASSAY_TARGET_INVALID` for a definition that lacks something.
 */
export function defineBatchRunner<T extends OptionTable>(
  definition: BatchRunnerDefinition<T>,
): BatchRunnerFactory<T> {
  checkDefinition(definition, { maker: "defineBatchRunner", functions: ["runAll"] });
  return runnerFactory(definition, (given) => new BatchRunner(definition, given, unboundBinding));
}

class BatchRunner<T extends OptionTable> extends DescribedRunner<T, BatchRunnerDefinition<T>> {
  readonly #aggregates: Aggregate[] = [];

  configure(binding: RunnerBinding): AgentTaskRunner {
    return new BatchRunner(this.definition, this.given, binding);
  }

  async checkTask(task: Task, context: Pick<RunContext, "baseDir" | "files">): Promise<void> {
    await this.definition.checkTask?.(task, this.values, context);
  }

  async contentDigest(
    task: Task,
    context: Pick<RunContext, "baseDir" | "files">,
  ): Promise<string | null> {
    return (await this.definition.contentDigest?.(task, this.values, context)) ?? null;
  }

  checkPlan(plan: Pick<TrialPlan, "trialsPerTask">): void {
    this.definition.checkPlan?.(plan, this.values);
  }

  runTasks(plan: TrialPlan, context: RunContext): AsyncIterable<Trial> {
    return this.definition.runAll({
      plan,
      context,
      options: this.values,
      tool: this.tool ?? { version: null, resolved: {} },
      addAggregates: (aggregates) => {
        this.#aggregates.push(...aggregates);
      },
    });
  }

  runAggregateScores(): readonly Aggregate[] {
    return this.#aggregates;
  }
}
