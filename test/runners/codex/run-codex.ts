import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach } from "vitest";

import type { Clock } from "../../../packages/assay/src/contracts/clock.ts";
import type {
  PlannedTask,
  ProbeContext,
  RunContext,
  RunLimits,
  ToolFacts,
  Trial,
} from "../../../packages/assay/src/contracts/runner.ts";
import type { Task } from "../../../packages/assay/src/contracts/task.ts";
import { createNodePlatform } from "../../../packages/assay/src/platform/node-platform.ts";
import type { CodexCliOptions } from "../../../packages/assay/src/runners/codex/index.ts";
import { codexRunner } from "../../../packages/assay/src/runners/codex/runner.ts";
import { RunSandboxes } from "../../../packages/assay/src/sandbox/run-sandboxes.ts";
import { taskRecordSchema } from "../../../packages/assay/src/schema/task.ts";
import { newToken } from "../../../packages/assay/src/support/ids.ts";
import type { JsonObject } from "../../../packages/assay/src/support/json.ts";
import { folderForCodex } from "../../support/places.ts";
import { repoRoot } from "../../support/tools.ts";

export const fakeCodex = join(
  repoRoot,
  "packages/assay/src/runners/codex/fixtures/fake-tools/codex.mjs",
);

const undo: (() => void)[] = [];
afterEach(() => {
  for (const remove of undo.splice(0)) remove();
});

/** A folder that is removed after the test. Not below the temporary directory, where Codex refuses to have its home. */
export function makeFolder(): string {
  const folder = folderForCodex("run");
  undo.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function codexTask(fields: Partial<Task> & Pick<Task, "id">): Task {
  const record = taskRecordSchema.parse({
    intent: "INTENT",
    inputs: { instruction: "Say hello" },
    ...fields,
    metrics: undefined,
  });
  return { ...record, metrics: [] };
}

export interface CodexRunRequest {
  readonly options?: CodexCliOptions;
  readonly tasks?: readonly Task[];
  readonly trialIndexes?: readonly number[];
  /** The host's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly redact?: (text: string) => string;
  readonly signal?: AbortSignal;
  readonly limits?: Partial<RunLimits>;
  readonly concurrency?: number;
  readonly scratch?: string;
  readonly clock?: Clock;
}

export interface CodexRun {
  readonly trials: readonly Trial[];
  readonly tool: ToolFacts;
  readonly scratch: string;
  /** Processes with the run's mark that were still there when the run had ended. */
  readonly leftBehind: number;
}

/** Probes and runs the runner as the engine does, on this machine's real processes and files. */
export async function runCodex(request: CodexRunRequest = {}): Promise<CodexRun> {
  const { tasks = [codexTask({ id: "t" })], trialIndexes = [0] } = request;
  // Its own: a token that two runs share would let the end of one kill what the other started.
  const token = newToken();
  const setup = setUp(request, token);
  const runner = codexRunner(request.options ?? {}).configure?.({
    suiteName: "suite",
    baseDir: setup.context.baseDir,
    overrides: [],
  });
  const tool = (await runner?.probe?.(setup.context)) ?? { version: null, resolved: {} };
  const planned: PlannedTask[] = tasks.map((task, taskIndex) => ({
    task,
    taskIndex,
    trialIndexes,
  }));
  const trials: Trial[] = [];
  const trialCount = tasks.length * trialIndexes.length;
  const plan = { tasks: planned, trialsPerTask: trialIndexes.length, trialCount };
  for await (const trial of runner?.runTasks(plan, setup.context) ?? []) trials.push(trial);
  const leftBehind = await setup.platform.reap({ token, directory: setup.context.scratch });
  return { trials, tool, scratch: setup.context.scratch, leftBehind };
}

export async function probeOnly(request: CodexRunRequest = {}): Promise<ToolFacts | undefined> {
  const context: ProbeContext = setUp(request, newToken()).context;
  return await codexRunner(request.options ?? {}).probe?.(context);
}

function setUp(request: CodexRunRequest, token: string) {
  const scratch = request.scratch ?? makeFolder();
  const { CODEX_HOME: _home, ...hostEnv } = process.env;
  const platform = createNodePlatform({ env: request.env ?? hostEnv, scratchParent: scratch });
  const silent = () => {};
  const signal = request.signal ?? new AbortController().signal;
  const processes = platform.process(token);
  const sandboxes = new RunSandboxes({
    ...platform,
    process: processes,
    scratch,
    runId: "run-1",
    token,
  });
  const context: RunContext = {
    runId: "run-1",
    scratch,
    baseDir: scratch,
    signal,
    closing: signal,
    concurrency: request.concurrency ?? 2,
    limits: {
      attemptsPerTrial: 2,
      graceMs: 500,
      evidenceFileBytes: 64 * 1024 * 1024,
      ...request.limits,
    },
    log: { debug: silent, info: silent, warn: silent, error: silent },
    secrets: request.secrets ?? {},
    redact: request.redact ?? ((text) => text),
    process: processes,
    sandboxes,
    files: platform.files,
    clock: request.clock ?? platform.clock,
    random: platform.random,
  };
  return { platform, context };
}

/** Runs the fake with one behaviour. */
export async function runFake(
  behaviour: string,
  { options = {}, ...request }: CodexRunRequest = {},
): Promise<CodexRun> {
  const env = { FAKE_CODEX: behaviour, ...(options.env as Record<string, string> | undefined) };
  return await runCodex({ ...request, options: { codexBin: fakeCodex, ...options, env } });
}

/** The one trial of a run. */
export function only({ trials }: CodexRun): Trial {
  const [trial] = trials;
  if (trial === undefined || trials.length !== 1)
    throw new Error(`expected one trial, there are ${trials.length}`);
  return trial;
}

export function evidencePath(trial: Trial, name: string): string {
  const ref = trial.evidence?.descriptors[name]?.ref;
  if (typeof ref !== "string") throw new Error(`the trial has no evidence "${name}"`);
  return ref;
}

export function readEvidence(trial: Trial, name: string): string {
  return readFileSync(evidencePath(trial, name), "utf8");
}

export interface GivenToFake {
  readonly argv: readonly string[];
  readonly commandLine: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly prompt: string;
  readonly directory: string;
  readonly workspaceFiles: readonly string[];
  readonly modes: Readonly<Record<string, string>>;
}

/** What the fake was given. */
export function givenTo(trial: Trial): GivenToFake {
  const file = join(evidencePath(trial, "final_state"), "given.json");
  return JSON.parse(readFileSync(file, "utf8")) as GivenToFake;
}

/** The steps of the trajectory. */
export function stepsOf(trial: Trial): readonly JsonObject[] {
  const document = JSON.parse(readEvidence(trial, "trace")) as { readonly steps: JsonObject[] };
  return document.steps;
}

export function isRunning(pid: number): boolean {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.startsWith("Z");
  } catch {
    return false;
  }
}
