import type { Target } from "../../contracts/target.ts";
import type { InstructionInputs } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { CallableAgent } from "./agent.ts";
import { callableRunner } from "./runner.ts";

export type { CallableAgent, CallableContext, CallableReply } from "./agent.ts";

export interface CallableOptions<I> {
  /** Stable name of the agent: it is recorded as `<suite>#<name>` and never taken from the source. */
  readonly name: string;
  /** What is evaluated: gets the task's id and inputs and a context, and gives text, an output, or a draft of the trial. */
  readonly agent: CallableAgent<I>;
  /** Trials at once. Default: the run's concurrency. */
  readonly parallelism?: number | null;
  /** Seconds one trial may take. Default: no limit. */
  readonly timeoutS?: number | null;
  /**
   * `process` runs each attempt in a process of its own, which can be ended whatever it does: a synchronous endless loop,
   * `process.exit()`, a crash, a runaway heap. The suite must be a file: the process loads the agent from it. Default `none`.
   */
  readonly isolation?: "none" | "process";
  /** With `isolation: "process"`: megabytes of heap. Default: what Node takes. */
  readonly memoryLimitMb?: number | null;
  /** With `isolation: "process"`: further variables of the environment that the agent gets. */
  readonly inheritEnv?: string[];
  /** Second part of trial ids. Default `trial`. */
  readonly trialIdSuffix?: string;
}

/**
 * Evaluates a function of yours: it gets the task and a context, and gives text, an output, or a draft of the trial.
 *
 * An agent that throws gives a `partial` trial (`AgentError`), one that returns another shape a `failed` one
 * (`InvalidReturn`). It runs in this process, where a synchronous endless loop cannot be stopped, unless `isolation` says
 * otherwise.
 */
export function callable<I = InstructionInputs>(options: CallableOptions<I>): Target<I> {
  const { name, agent, ...rest } = options;
  assertNamed(name);
  const agentFn = { name, agent: agent as CallableAgent<never> };
  return callableRunner({ agentFn, ...rest }) as Target<I>;
}

function assertNamed(name: unknown): void {
  if (typeof name === "string" && name.trim() !== "") return;
  throw new AssayError(
    "ASSAY_CONFIG_INVALID",
    "callable has no `name`: a function without a name cannot be recorded",
    { remedy: 'Give the agent a stable name: callable({ name: "my-agent", agent }).' },
  );
}
