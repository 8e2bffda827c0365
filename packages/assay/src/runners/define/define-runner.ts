import {
  type AgentTaskRunner,
  type AttemptChannel,
  type PlannedTask,
  type ProbeContext,
  type RunContext,
  type RunnerBinding,
  runnerContractVersion,
  type TargetFacts,
  type ToolFacts,
  type Trial,
  type TrialPlan,
} from "../../contracts/runner.ts";
import type { Task } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { redactSettings } from "../../provenance/redaction/key-rules.ts";
import type { RunnerInfo } from "../../schema/run-metadata.ts";
import { runPool } from "../../support/async-pool.ts";
import type { OptionsInput, OptionsOutput, OptionTable } from "../../support/options.ts";
import type { RunOne } from "./attempt.ts";
import { checkDefinition } from "./check-definition.ts";
import type { PlannedTrial } from "./planned-trial.ts";
import { optionsFromWire, resolveOptions, unboundBinding } from "./resolve-options.ts";
import { Cancellation } from "./stop-signal.ts";
import { factsOf, type SaidFacts } from "./target-facts.ts";

export interface RunnerDefinition<T extends OptionTable> {
  /** Curated, stable, short. */
  readonly name: string;
  /** One sentence for `assay runners`. */
  readonly description: string;
  /** What must be installed, for people. */
  readonly needs: readonly string[];
  readonly options: T;
  /** Rules over several options; throws `user` errors. */
  readonly check?: (options: OptionsOutput<T>) => void;
  readonly probe?: (options: OptionsOutput<T>, context: ProbeContext) => Promise<ToolFacts>;
  /** What the options amount to: model, prompt, sandbox. What it leaves out is unknown in the provenance. */
  readonly facts?: (options: OptionsOutput<T>) => SaidFacts;
  /** What `assay doctor` asks in place of `probe`, where that does more than ask for versions; answers the version. */
  readonly findNeeds?: (context: ProbeContext) => Promise<string | null>;
  /** Seconds one attempt may take; null is no limit. */
  readonly timeLimitS: (options: OptionsOutput<T>) => number | null;
  /** Trials at once; null leaves it to the run. */
  readonly concurrency?: (options: OptionsOutput<T>) => number | null;
  /** Second part of trial ids. */
  readonly trialIdSuffix: (options: OptionsOutput<T>) => string;
  readonly checkTask?: (task: Task, options: OptionsOutput<T>) => void;
  /** Makes one attempt in a process of its own, for a `run` that starts it by `context.suiteProcess`. */
  readonly serve?: (
    order: unknown,
    channel: AttemptChannel,
    options: OptionsOutput<T>,
  ) => Promise<void>;
  /** Produces one trial. Returns a draft, or throws: see `TrialDraft` and `TrialFailure`. */
  readonly run: RunOne<OptionsOutput<T>>;
}

/** Makes runners of one kind. */
export interface RunnerFactory<T extends OptionTable> {
  (options: OptionsInput<T>): AgentTaskRunner;
  readonly definition: RunnerDefinition<T>;
  /** From the wire form of a declarative target, without its `kind`. */
  fromConfig(wire: unknown): AgentTaskRunner;
}

/**
 * A runner that works one trial at a time. It gives concurrency, time limits, cancellation, new attempts for
 * infrastructure faults, typed failures, and an identity that is made from the very options that run. Throws
 * `ASSAY_TARGET_INVALID` for a definition that lacks something.
 */
export function defineRunner<T extends OptionTable>(
  definition: RunnerDefinition<T>,
): RunnerFactory<T> {
  checkDefinition(definition);
  const make = (given: OptionsInput<T>) => new DefinedRunner(definition, given, unboundBinding);
  return Object.assign(make, {
    definition,
    fromConfig: (wire: unknown) =>
      make(optionsFromWire(definition.name, definition.options, wire) as OptionsInput<T>),
  });
}

class DefinedRunner<T extends OptionTable> implements AgentTaskRunner {
  readonly contractVersion = runnerContractVersion;
  readonly #definition: RunnerDefinition<T>;
  readonly #given: OptionsInput<T>;
  readonly #resolved: ReturnType<typeof resolveOptions<T>>;
  #tool: ToolFacts | null = null;

  constructor(definition: RunnerDefinition<T>, given: OptionsInput<T>, binding: RunnerBinding) {
    this.#definition = definition;
    this.#given = given;
    this.#resolved = resolveOptions({
      runner: definition.name,
      table: definition.options,
      given,
      binding,
      redactSettings,
    });
    definition.check?.(this.#resolved.values);
  }

  configure(binding: RunnerBinding): AgentTaskRunner {
    return new DefinedRunner(this.#definition, this.#given, binding);
  }

  runnerInfo(): RunnerInfo {
    return {
      name: this.#definition.name,
      kind: "runner",
      version: null,
      config: this.#resolved.effective.config,
    };
  }

  effectiveOptions() {
    return this.#resolved.effective;
  }

  targetFacts(): TargetFacts {
    const { facts, name } = this.#definition;
    return factsOf(facts?.(this.#resolved.values) ?? {}, name);
  }

  async probe(context: ProbeContext): Promise<ToolFacts> {
    this.#tool = (await this.#definition.probe?.(this.#resolved.values, context)) ?? {
      version: null,
      resolved: {},
    };
    return this.#tool;
  }

  async checkTask(task: Task, context: Pick<RunContext, "baseDir" | "files">): Promise<void> {
    const { checkSeeds } = await import("./check-task.ts");
    await checkSeeds(task, context);
    this.#definition.checkTask?.(task, this.#resolved.values);
  }

  async serveAttempt(order: unknown, channel: AttemptChannel): Promise<void> {
    const { name, serve } = this.#definition;
    if (serve === undefined) {
      throw new AssayError(
        "ASSAY_TARGET_INVALID",
        `the runner "${name}" runs nothing in a process of the suite`,
      );
    }
    await serve(order, channel, this.#resolved.values);
  }

  async *runTasks(plan: TrialPlan, context: RunContext): AsyncIterable<Trial> {
    const { values } = this.#resolved;
    const queuedAtMs = context.clock.monotonicMs();
    const { produceTrial } = await import("./produce-trial.ts");
    const limitS = this.#definition.timeLimitS(values);
    const setup = {
      options: values,
      tool: this.#tool,
      run: this.#definition.run,
      timeLimitMs: limitS === null ? null : limitS * 1000,
      agentName: this.#definition.name,
      cancellation: new Cancellation(context.signal),
      trialIdSuffix: this.#definition.trialIdSuffix(values),
    };
    const planned = plannedTrials(plan.tasks);
    const trials = runPool({
      items: planned,
      concurrency: this.#definition.concurrency?.(values) ?? context.concurrency,
      signal: context.closing,
      work: (place) => produceTrial(setup, place, context, queuedAtMs),
    });
    try {
      for await (const trial of trials) if (trial !== null) yield trial;
    } finally {
      // Whoever stops reading early wants no further trial begun.
      planned.return();
    }
  }
}

function* plannedTrials(tasks: readonly PlannedTask[]): Generator<PlannedTrial, void> {
  for (const { task, taskIndex, trialIndexes } of tasks) {
    for (const trialIndex of trialIndexes) yield { task, taskIndex, trialIndex };
  }
}
