import assert from "node:assert/strict";

import type { ProcessCapability, ProcessRequest } from "../../contracts/process.ts";
import type { AgentTaskRunner, Trial, TrialPlan } from "../../contracts/runner.ts";
import { type TestRunContext, testRunContext } from "../run-context.ts";
import { testPlan } from "../trial-plan.ts";
import type { RunnerScenario } from "./subject.ts";

/** What no agent may ever see: the kit puts it where graders look, and looks for it everywhere else. */
export const graderCanary = "assay-grader-only-7c1f0d";

const suiteName = "conformance";
const defaultWithinMs = 20_000;

/** A scenario at work, as the engine would do it. */
export interface ScenarioRun {
  readonly scenario: RunnerScenario;
  readonly runner: AgentTaskRunner;
  readonly context: TestRunContext;
  readonly plan: TrialPlan;
  /** Every process that was asked for. */
  readonly requests: readonly ProcessRequest[];
  /** Resolves when a process writes a line to its stdout from now on. */
  readonly nextLine: () => Promise<void>;
  readonly cancel: () => void;
}

export interface RunSettings {
  readonly trialIndexes?: readonly number[];
  readonly concurrency?: number;
}

/** Sets a scenario up, lets `check` work with it within its time, and leaves nothing behind. */
export async function withScenario(
  scenario: RunnerScenario,
  { trialIndexes = [0, 1], concurrency = 2 }: RunSettings,
  check: (run: ScenarioRun) => Promise<void>,
): Promise<void> {
  const { baseDir, env = {}, secrets = {}, suiteProcess } = scenario;
  const controller = new AbortController();
  const { watch, requests, nextLine } = recording();
  const context = await testRunContext({
    process: watch,
    concurrency,
    env,
    secrets,
    signal: controller.signal,
    ...(baseDir === undefined ? {} : { baseDir }),
    ...(suiteProcess === undefined ? {} : { suiteProcess }),
  });
  const tasks = scenario.tasks.map((task) => ({
    ...task,
    intent: `intent ${graderCanary}`,
    reference: { answer: graderCanary },
  }));
  const run = {
    scenario,
    runner: bind(scenario.runner, context.baseDir),
    context,
    plan: testPlan(tasks, trialIndexes),
    requests,
    nextLine,
    cancel: () => controller.abort(new Error("cancelled by the conformance check")),
  };
  try {
    await within(scenario.withinMs ?? defaultWithinMs, check(run));
  } finally {
    run.cancel();
    await context.dispose();
    await scenario.cleanUp?.();
  }
}

/** As the engine binds a runner to a suite, before anything else is done with it. */
export function bind(runner: AgentTaskRunner, baseDir: string): AgentTaskRunner {
  return runner.configure?.({ suiteName, baseDir, overrides: [] }) ?? runner;
}

/** What the engine does before the first trial. */
export async function prepare({ runner, context, plan }: ScenarioRun): Promise<void> {
  for (const { task } of plan.tasks) await runner.checkTask?.(task, context);
  await runner.probe?.(context);
}

/** All trials of the run, each checked for its place in the plan. */
export async function produceAll(run: ScenarioRun): Promise<readonly Trial[]> {
  await prepare(run);
  const trials: Trial[] = [];
  for await (const trial of run.runner.runTasks(run.plan, run.context)) trials.push(trial);
  assert.deepEqual(
    trials.map(placeOf).sort(),
    run.plan.tasks
      .flatMap(({ task, trialIndexes }) => trialIndexes.map((index) => `${task.id} #${index}`))
      .sort(),
    "exactly the planned trials must be yielded, once each",
  );
  return trials;
}

/** Fails when the runner left anything alive. */
export async function assertNothingLeft({ context, scenario }: ScenarioRun): Promise<void> {
  assert.equal(await context.killLeftovers(), 0, "processes were left alive");
  assert.deepEqual(await scenario.leftovers?.(), scenario.leftovers && [], "left alive");
}

function placeOf({ taskId, trialIndex }: Trial): string {
  return `${taskId} #${trialIndex}`;
}

function recording() {
  const requests: ProcessRequest[] = [];
  let onLine = () => {};
  const nextLine = () =>
    new Promise<void>((resolve) => {
      onLine = resolve;
    });
  const watch = (process: ProcessCapability): ProcessCapability => ({
    ...process,
    run: (request) => {
      requests.push(request);
      const { stdout = {} } = request;
      const heard = (line: string) => {
        stdout.onLine?.(line);
        onLine();
      };
      return process.run({ ...request, stdout: { ...stdout, onLine: heard } });
    },
  });
  return { watch, requests, nextLine };
}

async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it was not over within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
