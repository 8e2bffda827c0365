import {
  type AgentTaskRunner,
  type EffectiveOptions,
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
import { redactSettings } from "../../provenance/redaction/key-rules.ts";
import type { RunnerInfo } from "../../schema/run-metadata.ts";
import type { JsonObject } from "../../support/json.ts";
import type { OptionsInput, OptionsOutput, OptionTable } from "../../support/options.ts";
import { optionsFromWire, resolveOptions } from "./resolve-options.ts";
import { factsOf, type SaidFacts } from "./target-facts.ts";

/** What every runner says of itself, however it runs its trials. */
export interface RunnerDescription<T extends OptionTable> {
  /** Curated, stable, short. */
  readonly name: string;
  /** One sentence for `assay runners`. */
  readonly description: string;
  /** What must be installed, for people. */
  readonly needs: readonly string[];
  readonly options: T;
  /** Settings that follow from the options, recorded beside them: which of two took effect. */
  readonly derive?: (options: OptionsOutput<T>) => JsonObject;
  /** Rules over several options; throws `user` errors. */
  readonly check?: (options: OptionsOutput<T>) => void;
  readonly probe?: (options: OptionsOutput<T>, context: ProbeContext) => Promise<ToolFacts>;
  /** What the options amount to: model, prompt, sandbox. What it leaves out is unknown in the provenance. */
  readonly facts?: (options: OptionsOutput<T>) => SaidFacts;
  /** What `assay doctor` asks in place of `probe`, where that does more than ask for versions; answers the version. */
  readonly findNeeds?: (context: ProbeContext) => Promise<string | null>;
}

/** Makes runners of one kind. */
export interface DescribedRunnerFactory<T extends OptionTable, D extends RunnerDescription<T>> {
  (options: OptionsInput<T>): AgentTaskRunner;
  readonly definition: D;
  /** From the wire form of a declarative target, without its `kind`. */
  fromConfig(wire: unknown): AgentTaskRunner;
}

export function runnerFactory<T extends OptionTable, D extends RunnerDescription<T>>(
  definition: D,
  make: (options: OptionsInput<T>) => AgentTaskRunner,
): DescribedRunnerFactory<T, D> {
  return Object.assign((given: OptionsInput<T>) => make(given), {
    definition,
    fromConfig: (wire: unknown) =>
      make(optionsFromWire(definition.name, definition.options, wire) as OptionsInput<T>),
  });
}

/** A runner whose identity is made from the very options that run. How it runs trials is left to who extends it. */
export abstract class DescribedRunner<T extends OptionTable, D extends RunnerDescription<T>>
  implements AgentTaskRunner
{
  readonly contractVersion = runnerContractVersion;
  readonly #definition: D;
  readonly #given: OptionsInput<T>;
  readonly #resolved: ReturnType<typeof resolveOptions<T>>;
  readonly #derived: JsonObject;
  #tool: ToolFacts | null = null;

  constructor(definition: D, given: OptionsInput<T>, binding: RunnerBinding) {
    this.#definition = definition;
    this.#given = given;
    this.#resolved = resolveOptions({
      runner: definition.name,
      table: definition.options,
      given,
      binding,
      redactSettings,
    });
    this.#derived = definition.derive?.(this.values) ?? {};
    definition.check?.(this.values);
  }

  // Getters, not fields: a runner that is printed or stored whole shows nothing of a credential.
  protected get definition(): D {
    return this.#definition;
  }

  protected get given(): OptionsInput<T> {
    return this.#given;
  }

  /** What the probe found; nothing before it. */
  protected get tool(): ToolFacts | null {
    return this.#tool;
  }

  /** The options that took effect. */
  protected get values(): OptionsOutput<T> {
    return this.#resolved.values;
  }

  abstract configure(binding: RunnerBinding): AgentTaskRunner;
  abstract checkTask(task: Task, context: Pick<RunContext, "baseDir" | "files">): Promise<void>;
  abstract runTasks(plan: TrialPlan, context: RunContext): AsyncIterable<Trial>;

  runnerInfo(): RunnerInfo {
    return {
      name: this.definition.name,
      kind: "runner",
      version: null,
      config: this.effectiveOptions().config,
    };
  }

  effectiveOptions(): EffectiveOptions {
    const { effective } = this.#resolved;
    if (Object.keys(this.#derived).length === 0) return effective;
    const withDerived = (settings: JsonObject) => ({
      ...settings,
      ...redactSettings(this.#derived),
    });
    return {
      ...effective,
      config: withDerived(effective.config),
      shaping: withDerived(effective.shaping),
    };
  }

  targetFacts(): TargetFacts {
    const { facts, name } = this.definition;
    return factsOf(facts?.(this.values) ?? {}, name);
  }

  async probe(context: ProbeContext): Promise<ToolFacts> {
    this.#tool = (await this.definition.probe?.(this.values, context)) ?? {
      version: null,
      resolved: {},
    };
    return this.#tool;
  }
}
