import { AssayError } from "../../errors/assay-error.ts";
import type { AttemptContext } from "../define/attempt-context.ts";
import { defineRunner } from "../define/define-runner.ts";
import type { CallableContext } from "./agent.ts";
import { callableFacts } from "./facts.ts";
import { requireSuiteProcess } from "./isolated/availability.ts";
import { runIsolated } from "./isolated/run-isolated.ts";
import { serveAttempt } from "./isolated/serve-attempt.ts";
import { callableOptions } from "./options.ts";
import { draftOfReply, errorOfThrow } from "./outcome.ts";

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
  async run({ id, inputs }, context) {
    if (context.options.isolation === "process") return await runIsolated({ id, inputs }, context);
    if (inputs["files"] !== undefined) await context.workspace();
    let reply: unknown;
    try {
      reply = await context.options.agentFn.agent(
        { id, inputs } as never,
        new AgentContext(context),
      );
    } catch (thrown) {
      // An agent that knows better than we can says so with an error of ours: then another attempt is made.
      if (AssayError.isInstance(thrown) && thrown.fault === "infrastructure") throw thrown;
      return { output: null, error: errorOfThrow(thrown) };
    }
    return draftOfReply(reply);
  },
});

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
