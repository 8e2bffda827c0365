import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AgentEvaluator,
  type AgentTaskRunner,
  type AssayError,
  defineMetric,
  type EvalResult,
  type EvaluationConfig,
  type EvaluatorOptions,
  exitCodeOf,
  type Metric,
  type MetricContext,
  type MetricInput,
  type MetricResult,
  type RunContext,
  type RunEvent,
  type TaskDefinition,
  type Trial,
  type TrialPlan,
} from "assay";
import { metricFromConfig } from "assay/metrics";
import { FakeClock } from "assay/testing";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { Clock } from "../../packages/assay/src/contracts/clock.ts";
import { runEvaluation } from "../../packages/assay/src/engine/evaluate.ts";
import { nodeEngine } from "../../packages/assay/src/engine/node-engine.ts";
import type { Platform } from "../../packages/assay/src/engine/platform.ts";
import { resolveSuite } from "../../packages/assay/src/engine/suite/resolve-suite.ts";
import type { JsonObject } from "../../packages/assay/src/support/json.ts";

/** A folder outside the checkout, removed after the test. */
export function folder(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "assay-engine-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** An evaluator whose scratch lies in a folder of the test's own. */
export function bench(options: EvaluatorOptions = {}) {
  const root = folder();
  const scratchParent = join(root, "scratch");
  const events: RunEvent[] = [];
  return {
    root,
    scratchParent,
    /** Where runs are written. */
    workDir: join(root, "run"),
    events,
    onEvent: (event: RunEvent) => {
      events.push(event);
    },
    evaluator: new AgentEvaluator({ env: {}, cwd: root, scratchParent, ...options }),
    /** Scratch directories that were left behind. */
    leftovers: () => (existsSync(scratchParent) ? readdirSync(scratchParent) : []),
  };
}

export interface QuickRun {
  readonly tasks?: readonly TaskDefinition[];
  readonly metrics?: readonly Metric[];
  readonly config?: EvaluationConfig;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a target over tasks `t0`, ... with a metric that always gives 1, into a folder of the test's own. */
export async function runTarget(target: AgentTaskRunner, run: QuickRun = {}) {
  const here = bench({ env: run.env ?? {} });
  const result = await here.evaluator.run({
    tasks: run.tasks ?? tasks(1),
    metrics: run.metrics ?? [constant()],
    target,
    config: { workDir: here.workDir, onEvent: here.onEvent, ...run.config },
  });
  return { ...here, result, rows: await rowsOf(result) };
}

export async function rowsOf(result: EvalResult) {
  return { trials: await result.trials.toArray(), scores: await result.scores.toArray() };
}

export function tasks(count: number, more: Partial<TaskDefinition> = {}): TaskDefinition[] {
  return Array.from({ length: count }, (_item, index) => task(`t${index}`, more));
}

export function task(id: string, more: Partial<TaskDefinition> = {}): TaskDefinition {
  return { id, intent: "answers", inputs: { instruction: `do ${id}` }, ...more };
}

type Compute = (
  input: MetricInput,
  config: unknown,
  context: MetricContext,
) => MetricResult | Promise<MetricResult>;

/** A metric of one continuous output `score`. */
export function metric(type: string, compute: Compute, more: Partial<Metric> = {}): Metric {
  const made = defineMetric({
    type,
    description: "Of a test.",
    config: z.strictObject({}),
    // As a function, so that tests may give what does not fit.
    outputs: () => [{ name: "score", kind: "continuous" }],
    compute,
  })();
  return { ...made, ...more };
}

export function constant(value = 1): Metric {
  return metric("constant", () => ({ outputs: { score: value } }));
}

/** 1 where the agent said "yes". */
export function saysYes(): Metric {
  return metric(
    "says-yes",
    ({ candidate }) => ({ outputs: { score: candidate.outputText === "yes" ? 1 : 0 } }),
    { needs: ["text"] },
  );
}

type RunTasks = (plan: TrialPlan, context: RunContext) => AsyncIterable<Trial>;

/** A runner that implements the contract by hand. */
export function runner(
  runTasks: RunTasks,
  more: Partial<AgentTaskRunner> & { readonly config?: JsonObject } = {},
): AgentTaskRunner {
  const { config = {}, ...members } = more;
  return {
    contractVersion: 1,
    runnerInfo: () => ({ name: "stand_in", kind: "runner", version: null, config }),
    runTasks,
    ...members,
  };
}

/** A runner that gives all planned trials at once. */
export function eager(more: Partial<AgentTaskRunner> = {}): AgentTaskRunner {
  return runner(async function* (plan) {
    for (const place of places(plan)) yield completed(place.taskId, place.trialIndex);
  }, more);
}

export function places({ tasks: planned }: TrialPlan) {
  return planned.flatMap(({ task: { id: taskId }, trialIndexes }) =>
    trialIndexes.map((trialIndex) => ({ taskId, trialIndex })),
  );
}

export function completed(taskId: string, trialIndex = 0, more: Partial<Trial> = {}): Trial {
  return {
    id: trialIndex === 0 ? `${taskId}:stand_in` : `${taskId}:stand_in:${trialIndex}`,
    taskId,
    trialIndex,
    status: "completed",
    output: { outputText: "yes", response: null, metadata: {} },
    evidence: null,
    error: null,
    measurements: noMeasurements,
    metadata: {},
    ...more,
  };
}

const noMeasurements: Trial["measurements"] = {
  promptTokens: null,
  completionTokens: null,
  totalTokens: null,
  cacheCreationTokens: null,
  cacheReadTokens: null,
  runtimeSec: null,
  costUsd: null,
};

/** Rows of a file of a bundle, as they are stored. */
export function storedRows(dir: string, name: string): JsonObject[] {
  const text = readFileSync(join(dir, name), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as JsonObject);
}

export function storedDocument(dir: string, name: string): JsonObject {
  return JSON.parse(readFileSync(join(dir, name), "utf8")) as JsonObject;
}

/** Every file below, by its path. */
export function filesBelow(dir: string): string[] {
  return (readdirSync(dir, { recursive: true }) as string[])
    .filter((path) => statSync(join(dir, path)).isFile())
    .sort();
}

/** The same as `runTarget`, on a machine of which parts are the test's own. */
export async function runOn(
  parts: Partial<Pick<Platform, "clock" | "files">>,
  target: AgentTaskRunner,
  run: QuickRun = {},
) {
  const here = bench();
  const platform = await nodeEngine({ env: {}, cwd: here.root, scratchParent: here.scratchParent });
  const { name = "suite", secrets: _secrets, baseDir = here.root, ...options } = run.config ?? {};
  const suite = await resolveSuite(
    { name, tasks: run.tasks ?? tasks(1), metrics: run.metrics ?? [constant()], target },
    { baseName: name, baseDir, files: platform.files, metricFromConfig },
  );
  const running = runEvaluation({
    suite,
    options: { workDir: here.workDir, onEvent: here.onEvent, ...options },
    platform: { ...platform, ...parts },
  });
  return { ...here, running };
}

/** The same as `runTarget`, with a clock that goes on as soon as everything waits for it. */
export async function runWithClock(clock: Clock, target: AgentTaskRunner, run: QuickRun = {}) {
  const { running, ...here } = await runOn({ clock }, target, run);
  const result = clock instanceof FakeClock ? await goingOn(clock, running) : await running;
  return { ...here, result, rows: await rowsOf(result) };
}

/** Lets the time of the clock pass until the work has ended. */
async function goingOn<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  while (!isOver) await Promise.race([clock.advance(50), over]);
  return await work;
}

/** What a call is refused with, and how the command line would exit. */
export async function refusal(call: () => Promise<unknown>) {
  try {
    await call();
  } catch (thrown) {
    const error = thrown as AssayError;
    return { code: error.code, message: error.message, exitCode: exitCodeOf(error.fault), error };
  }
  throw new Error("it was not refused");
}

/** A promise, and the way to resolve it. */
export function deferred<T = void>() {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
