import type { AgentTaskRunner, SuiteProcess } from "../../contracts/runner.ts";
import type { TestTask } from "../trial-plan.ts";

/**
 * A runner to be checked: how to make one, another value for each of its options, and situations to put it in.
 * `Options` is what its factory takes; with it the compiler asks for a mutation of each.
 */
export interface RunnerSubject<Options extends object = Record<string, unknown>> {
  readonly name: string;
  /** A new runner with the usual options, and `options` laid over them. */
  readonly make: (options?: Partial<Options>) => AgentTaskRunner;
  /** For every option a value other than the usual one. */
  readonly optionMutations: { readonly [K in keyof Options]-?: Options[K] };
  readonly scenarios: RunnerScenarios;
  /** Why a trial that is made again has another id: a backend names its trials by chance. */
  readonly idsOfBackend?: string;
}

export interface RunnerScenarios {
  /** Every trial ends well. */
  readonly success: Scenario<RunnerScenario>;
  /** The agent fails by itself: it exits badly, or throws. */
  readonly badExit: Scenario<RunnerScenario>;
  /** The agent never ends, ignores requests to end and has started processes that do too; the runner has a short time limit. */
  readonly timeout: Scenario<RunnerScenario>;
  /** The agent never ends by itself and has started others, as above; there is no time limit. */
  readonly cancel: Scenario<CancelScenario>;
  /** The agent writes far more than is kept. */
  readonly hugeOutput: Scenario<HugeOutputScenario>;
  /** The agent or tool gives what cannot be understood. */
  readonly malformedOutput: Scenario<RunnerScenario>;
  /** The tool that the runner needs is not there. */
  readonly missingTool: Scenario<RunnerScenario>;
  /** The agent repeats its secrets everywhere it can: output, logs, files, file names. */
  readonly secretEcho: Scenario<SecretScenario>;
}

/** A situation, made anew for each check, or the reason why this runner cannot be in it. */
export type Scenario<S extends RunnerScenario> = (() => S | Promise<S>) | { readonly skip: string };

export interface RunnerScenario {
  readonly runner: AgentTaskRunner;
  /** At least one. Intent and reference are the kit's own: it looks for them where they must not be. */
  readonly tasks: readonly Pick<TestTask, "id" | "inputs" | "metadata">[];
  /** Laid over the environment of this process: a PATH with stand-in programs. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly secrets?: Readonly<Record<string, string>>;
  /** Relative paths in options and seeds start here. */
  readonly baseDir?: string;
  /** For a runner that runs the suite's code in another process. */
  readonly suiteProcess?: SuiteProcess;
  /** Errors keep the types that a backend gave them, which are not of Assay's own list. */
  readonly hasErrorTypesOfBackend?: boolean;
  /** Milliseconds within which all of it has to be over. Default 20,000. */
  readonly withinMs?: number;
  /** What the runner left alive beside processes: containers, servers. */
  readonly leftovers?: () => Promise<readonly string[]>;
  /** Called after the check, whatever came of it. */
  readonly cleanUp?: () => Promise<void>;
}

export interface CancelScenario extends RunnerScenario {
  /** Resolves when agents are at work. Default: when a process of theirs has written a line to its stdout. */
  readonly started?: () => Promise<void>;
}

export interface HugeOutputScenario extends RunnerScenario {
  /** What one trial may leave behind, in bytes. Default 80 MiB. */
  readonly maxBytes?: number;
}

export interface SecretScenario extends RunnerScenario {
  /** Each at least 8 bytes and of no known shape, so that nothing but knowing them removes them. */
  readonly secrets: Readonly<Record<string, string>>;
}
