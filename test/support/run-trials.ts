import type { AgentTaskRunner, Trial } from "assay";
import {
  type TestRunContext,
  type TestRunContextOptions,
  type TestTask,
  testPlan,
  testRunContext,
} from "assay/testing";
import { onTestFinished } from "vitest";

export interface TrialRun {
  readonly context: TestRunContext;
  readonly cancel: (reason?: unknown) => void;
  /** Every trial, in the order in which they came. */
  readonly trials: Promise<readonly Trial[]>;
}

export interface TrialRunOptions extends Omit<TestRunContextOptions, "signal"> {
  readonly trialIndexes?: readonly number[];
}

/** Starts a run of these tasks; whatever it leaves is removed when the test is over. */
export async function startTrials(
  runner: AgentTaskRunner,
  tasks: readonly TestTask[],
  { trialIndexes = [0], ...options }: TrialRunOptions = {},
): Promise<TrialRun> {
  const controller = new AbortController();
  const context = await testRunContext({ ...options, signal: controller.signal });
  onTestFinished(() => context.dispose());
  return {
    context,
    cancel: (reason) => controller.abort(reason),
    trials: collect(runner.runTasks(testPlan(tasks, trialIndexes), context)),
  };
}

/** The trials of these tasks. */
export async function runTrials(
  runner: AgentTaskRunner,
  tasks: readonly TestTask[],
  options: TrialRunOptions = {},
): Promise<readonly Trial[]> {
  const { trials } = await startTrials(runner, tasks, options);
  return await trials;
}

async function collect(stream: AsyncIterable<Trial>): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  for await (const trial of stream) trials.push(trial);
  return trials;
}
