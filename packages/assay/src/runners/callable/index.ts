import type { Target } from "../../contracts/target.ts";
import type { InstructionInputs } from "../../contracts/task.ts";
import type { CallableAgent } from "./agent.ts";
import { callableRunner } from "./runner.ts";

export type { CallableAgent, CallableContext, CallableReply } from "./agent.ts";

export interface CallableOptions<I> {
  /** Stable name of the agent: it is recorded as `<suite>#<name>` and never taken from the source. */
  readonly name: string;
  readonly agent: CallableAgent<I>;
  /** Trials at once. Default: the run's concurrency. */
  readonly parallelism?: number | null;
  /** Seconds one trial may take. Default: no limit. */
  readonly timeoutS?: number | null;
  /** Second part of trial ids. Default `trial`. */
  readonly trialIdSuffix?: string;
}

/**
 * Evaluates a function of yours: it gets the task and a context, and gives text, an output, or a draft of the trial.
 *
 * An agent that throws gives a `partial` trial (`AgentError`), one that returns another shape a `failed` one
 * (`InvalidReturn`). It runs in this process: a synchronous endless loop cannot be stopped.
 */
export function callable<I = InstructionInputs>(options: CallableOptions<I>): Target<I> {
  const { name, agent, ...rest } = options;
  const agentFn = { name, agent: agent as CallableAgent<never> };
  return callableRunner({ agentFn, ...rest }) as Target<I>;
}
