import type { AgentTask } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { isPending } from "../../support/is-pending.ts";
import type { AttemptContext } from "../define/attempt-context.ts";
import { defineRunner } from "../define/define-runner.ts";
import type { TrialDraft } from "../define/draft.ts";
import type { CallableAgent, CallableContext } from "./agent.ts";
import { callableFacts } from "./facts.ts";
import { requireSuiteProcess } from "./isolated/availability.ts";
import { runIsolated } from "./isolated/run-isolated.ts";
import { serveAttempt } from "./isolated/serve-attempt.ts";
import { callableOptions } from "./options.ts";
import { draftOfReply, errorOfThrow, faultOfThrow } from "./outcome.ts";

export const callableRunner = defineRunner({
  name: "callable",
  description: "Calls a function of yours, once per trial.",
  needs: [],
  options: callableOptions,
  facts: callableFacts,
  timeLimitS: ({ timeoutS }) => timeoutS,
  concurrency: ({ parallelism }) => parallelism,
  trialIdSuffix: ({ trialIdSuffix }) => trialIdSuffix,
  async probe({ isolation, memoryLimitMb, inheritEnv }, { suiteProcess }) {
    if (isolation === "process") requireSuiteProcess(suiteProcess);
    else if (memoryLimitMb !== null) throw isolationOnly("memoryLimitMb");
    else if (inheritEnv.length > 0) throw isolationOnly("inheritEnv");
    return { version: null, resolved: {} };
  },
  serve: (order, channel, { agentFn }) => serveAttempt(agentFn.agent, order, channel),
  run({ id, inputs }, context) {
    if (context.options.isolation === "process") return runIsolated({ id, inputs }, context);
    if (inputs["files"] !== undefined)
      return context.workspace().then(() => callAgent({ id, inputs }, context));
    return callAgent({ id, inputs }, context);
  },
});

type Call = AttemptContext<{ readonly agentFn: { readonly agent: CallableAgent<never> } }>;

/** At once, where the agent answers so. */
function callAgent(task: AgentTask<unknown>, context: Call): TrialDraft | Promise<TrialDraft> {
  let reply: unknown;
  try {
    reply = context.options.agentFn.agent(task as never, new AgentContext(context));
  } catch (thrown) {
    return draftOfThrow(thrown);
  }
  return isPending(reply) ? awaitReply(reply) : draftOfReply(reply);
}

async function awaitReply(pending: PromiseLike<unknown>): Promise<TrialDraft> {
  let reply: unknown;
  try {
    reply = await pending;
  } catch (thrown) {
    return draftOfThrow(thrown);
  }
  return draftOfReply(reply);
}

function draftOfThrow(thrown: unknown): TrialDraft {
  const fault = faultOfThrow(thrown);
  if (fault !== null) throw fault;
  return { output: null, error: errorOfThrow(thrown) };
}

function isolationOnly(key: string): AssayError {
  return new AssayError(
    "ASSAY_CONFIG_INVALID",
    `options of callable: ${key} works only with isolation "process"`,
    { data: { key }, remedy: 'Set isolation: "process", or leave it out.' },
  );
}

/**
 * What an agent gets. `signal` and `workspace` are made when they are read; in a class, which has its getters once: see
 * the context that it reads.
 */
class AgentContext implements CallableContext {
  readonly log: CallableContext["log"];
  readonly evidence: CallableContext["evidence"];
  readonly usage: CallableContext["usage"];
  readonly step: CallableContext["step"];
  readonly trialIndex: number;
  readonly attemptIndex: number;
  readonly secrets: CallableContext["secrets"];
  readonly #context: AttemptContext<unknown>;

  constructor(context: AttemptContext<unknown>) {
    this.log = context.log;
    this.evidence = context.evidence;
    this.usage = context.usage;
    this.step = context.step;
    this.trialIndex = context.trialIndex;
    this.attemptIndex = context.attemptIndex;
    this.secrets = context.secrets;
    this.#context = context;
  }

  get workspace(): string {
    return this.#context.workspaceSync();
  }

  get signal(): AbortSignal {
    return this.#context.signal;
  }
}
