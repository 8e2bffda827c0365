import type { AgentTaskRunner, RunContext, Trial, TrialPlan } from "assay";
import { AssayError } from "assay";
import type { RunnerSubject } from "assay/testing";

import type { echoAgent } from "./echo-agent.examples.ts";
import { echoSubject } from "./echo-agent.subject.ts";

type Options = Parameters<typeof echoAgent>[0];

const neverAborted = new AbortController().signal;

/** The good runner with some of its members replaced: whoever wraps a runner passes on what he does not change. */
export function wrapped(
  runner: AgentTaskRunner,
  changes: (inner: AgentTaskRunner) => object,
): AgentTaskRunner {
  const wrap = (inner: AgentTaskRunner): AgentTaskRunner => ({
    contractVersion: 1,
    runnerInfo: () => inner.runnerInfo(),
    runTasks: (plan, context) => inner.runTasks(plan, context),
    probe: async (context) => (await inner.probe?.(context)) ?? { version: null, resolved: {} },
    configure: (binding) => wrap(inner.configure?.(binding) ?? inner),
    effectiveOptions: () =>
      inner.effectiveOptions?.() ?? { config: {}, shaping: {}, origins: {}, roles: {} },
    ...changes(inner),
  });
  return wrap(runner);
}

/** The good subject with every runner wrapped. */
export function sabotaged(changes: (inner: AgentTaskRunner) => object): RunnerSubject<Options> {
  const wrapScenario =
    <S extends { readonly runner: AgentTaskRunner }>(make: unknown) =>
    async () => {
      const scenario = await (make as () => S | Promise<S>)();
      return { ...scenario, runner: wrapped(scenario.runner, changes) };
    };
  return {
    ...echoSubject,
    make: (options) => wrapped(echoSubject.make(options), changes),
    scenarios: Object.fromEntries(
      Object.entries(echoSubject.scenarios).map(([name, make]) => [name, wrapScenario(make)]),
    ) as unknown as typeof echoSubject.scenarios,
  };
}

/** A runner whose trials are changed on their way out. */
const yielding =
  (change: (trial: Trial, context: RunContext) => Trial | readonly Trial[]) =>
  (inner: AgentTaskRunner) => ({
    async *runTasks(plan: TrialPlan, context: RunContext) {
      for await (const trial of inner.runTasks(plan, context))
        yield* [change(trial, context)].flat();
    },
  });
const describing =
  (change: (config: Record<string, unknown>) => unknown) => (inner: AgentTaskRunner) => ({
    effectiveOptions: undefined,
    runnerInfo: () => ({ ...inner.runnerInfo(), config: change({ ...inner.runnerInfo().config }) }),
  });
let instances = 0;

export type Fault = readonly [
  fault: string,
  check: string,
  changes: (inner: AgentTaskRunner) => object,
  message: RegExp,
];

export const faults: readonly Fault[] = [
  [
    "has no runnerInfo",
    "every member",
    () => ({ runnerInfo: undefined }),
    /the member `runnerInfo` is undefined/,
  ],
  [
    "has a runTasks that is no method",
    "every member",
    () => ({ runTasks: [] }),
    /the member `runTasks` is an array/,
  ],
  [
    "is of another version of the contract",
    "every member",
    () => ({ contractVersion: 2 }),
    /contractVersion/,
  ],
  [
    "has a dispose that is no method",
    "every member",
    () => ({ dispose: true }),
    /the member `dispose` is a boolean/,
  ],
  [
    "says who it is later",
    "in the same bytes",
    (inner) => ({ runnerInfo: async () => inner.runnerInfo() }),
    /synchronous/,
  ],
  [
    "says something else each time",
    "in the same bytes",
    describing((config) => ({ ...config, at: performance.now() })),
    /equal/,
  ],
  [
    "counts its instances",
    "equal bytes",
    describing((config) => ({ ...config, instance: ++instances })),
    /equal/,
  ],
  [
    "records an object",
    "plain JSON",
    describing((config) => ({ ...config, provider: new Map() })),
    /an instance of Map/,
  ],
  [
    "records undefined",
    "plain JSON",
    describing((config) => ({ ...config, provider: undefined })),
    /undefined/,
  ],
  [
    "records a memory address",
    "of this machine",
    describing((config) => ({ ...config, provider: "<Provider at 0x7f3a2b>" })),
    /memory address/,
  ],
  [
    "records a function's text",
    "of this machine",
    describing((config) => ({ ...config, build: String(() => 1) })),
    /text of an object or function/,
  ],
  [
    "records an absolute path",
    "of this machine",
    describing((config) => ({ ...config, binary: "/opt/bin/tool" })),
    /absolute path/,
  ],
  [
    "records only some of its options",
    "another model is",
    describing(({ model: _model, ...config }) => config),
    /there is no option "model"/,
  ],
  [
    "records a setting that never changes",
    "another model is",
    describing((config) => ({ ...config, model: "fixed" })),
    /left `config` as it was/,
  ],
  [
    "digests where a program lies",
    "another command is",
    (inner) => ({
      effectiveOptions: () => ({
        ...inner.effectiveOptions?.(),
        shaping: inner.runnerInfo().config,
      }),
    }),
    /operational "command" changed the settings digest/,
  ],
  [
    "leaves an option out of the digest",
    "another timeoutS is",
    (inner) => ({
      effectiveOptions: () => ({ ...inner.effectiveOptions?.(), shaping: {} }),
    }),
    /another "timeout_s" left the settings digest/,
  ],
  [
    "loses a trial",
    "exactly the planned",
    yielding((trial) => (trial.trialIndex === 1 ? [] : [trial])),
    /exactly the planned trials/,
  ],
  [
    "yields a trial twice",
    "exactly the planned",
    yielding((trial) => [trial, trial]),
    /exactly the planned trials/,
  ],
  [
    "yields trials of its own",
    "exactly the planned",
    yielding((trial) => [trial, { ...trial, trialIndex: 9 }]),
    /exactly the planned trials/,
  ],
  [
    "gives all trials one id",
    "exactly the planned",
    yielding((trial) => ({ ...trial, id: "same" })),
    /same id/,
  ],
  [
    "forgets agent_ok",
    "exactly the planned",
    yielding((trial) => ({ ...trial, metadata: {} })),
    /agent_ok/,
  ],
  [
    "names evidence outside its scratch",
    "exactly the planned",
    yielding((trial) => ({
      ...trial,
      evidence: {
        descriptors: {
          a: {
            kind: "x",
            ref: "/etc/hostname",
            format: null,
            data: null,
            description: null,
            metadata: {},
          },
        },
        metadata: {},
      },
    })),
    /no path below the scratch directory/,
  ],
  [
    "numbers trials in the order they end",
    "the same id",
    yielding((trial) => ({ ...trial, id: `trial-${++instances}` })),
    /trial-/,
  ],
  [
    "runs although it was cancelled before",
    "before it begins",
    (inner) => ({
      runTasks: (plan: TrialPlan, context: RunContext) =>
        inner.runTasks(plan, { ...context, signal: neverAborted, closing: neverAborted }),
    }),
    /Expected values/,
  ],
  [
    "cannot be disposed of twice",
    "disposed of twice",
    () => {
      let isDisposed = false;
      return {
        async dispose() {
          if (isDisposed) throw new Error("already disposed of");
          isDisposed = true;
        },
      };
    },
    /already disposed of/,
  ],
  [
    "calls a bad end completed",
    "ends badly",
    yielding((trial) => ({ ...trial, status: "completed", error: null })),
    /is completed/,
  ],
  [
    "makes up an error type",
    "ends badly",
    yielding((trial) => ({
      ...trial,
      error: { type: "Exit3", message: "m", traceback: null, occurredAt: null },
    })),
    /error type "Exit3" is none of/,
  ],
  [
    "calls a time limit an exit",
    "time limit",
    yielding((trial) => ({
      ...trial,
      error: { type: "AgentExitError", message: "m", traceback: null, occurredAt: null },
    })),
    /TimeoutError/,
  ],
  [
    "keeps quiet about what it cut",
    "huge output",
    yielding((trial) => ({
      ...trial,
      metadata: { agent_ok: trial.status === "completed" },
    })),
    /nothing says truncated/,
  ],
  [
    "keeps all of huge output",
    "huge output",
    (inner) => ({
      runTasks: (plan: TrialPlan, context: RunContext) =>
        inner.runTasks(plan, {
          ...context,
          process: {
            ...context.process,
            run: (request) =>
              context.process.run({ ...request, stdout: { ...request.stdout, maxBytes: 1e9 } }),
          },
        }),
    }),
    /bytes were kept/,
  ],
  [
    "fails as a whole on what it cannot read",
    "cannot be understood",
    () => ({
      // biome-ignore lint/correctness/useYield: it fails before it has anything to yield
      async *runTasks() {
        throw new SyntaxError("Unexpected end of JSON input");
      },
    }),
    /Unexpected end of JSON input/,
  ],
  ["has no probe", "missing tool", () => ({ probe: undefined }), /found nothing wrong/],
  [
    "tells a missing tool by another error",
    "missing tool",
    () => ({
      probe: async () => {
        throw new Error("ENOENT");
      },
    }),
    /whose fault is "environment", not Error: ENOENT/,
  ],
  [
    "throws a user error for a missing tool",
    "missing tool",
    () => ({
      probe: async () => {
        throw new AssayError("ASSAY_CONFIG_INVALID", "command");
      },
    }),
    /whose fault is "environment", not AssayError: command/,
  ],
  [
    "hands the intent to the agent",
    "intent and reference",
    (inner) => ({
      runTasks: (plan: TrialPlan, context: RunContext) =>
        inner.runTasks(
          {
            ...plan,
            tasks: plan.tasks.map((place) => ({
              ...place,
              task: { ...place.task, inputs: { instruction: place.task.intent } },
            })),
          },
          context,
        ),
    }),
    /what a process was given holds/,
  ],
  [
    "gives a secret by argv",
    "secrets to no argv",
    (inner) => ({
      runTasks: (plan: TrialPlan, context: RunContext) =>
        inner.runTasks(plan, {
          ...context,
          process: {
            ...context.process,
            run: (request) =>
              context.process.run({
                ...request,
                argv: [...request.argv, `--key=${context.secrets["ECHO_API_KEY"]}`],
              }),
          },
        }),
    }),
    /an argv holds a secret/,
  ],
  [
    "records a secret in its settings",
    "secrets to no argv",
    describing((config) => ({ ...config, key: "k3-quiet-otter-parade" })),
    /runnerInfo holds a secret/,
  ],
];
