import { existsSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { onTestFinished } from "vitest";

import type {
  AgentTaskRunner,
  ToolFacts,
  Trial,
} from "../../../packages/assay/src/contracts/runner.ts";
import type { FabricOptions } from "../../../packages/assay/src/runners/fabric/index.ts";
import { fabricRunner } from "../../../packages/assay/src/runners/fabric/runner.ts";
import type { JsonObject } from "../../../packages/assay/src/support/json.ts";
import {
  type TestRunContextOptions,
  testRunContext,
} from "../../../packages/assay/src/testing/run-context.ts";
import { type TestTask, testPlan } from "../../../packages/assay/src/testing/trial-plan.ts";
import { repoRoot } from "../../support/tools.ts";

const fixtures = join(repoRoot, "packages/assay/src/runners/fabric/fixtures");
export const standInWithoutRelay = join(fixtures, "stand-in");
export const standIn = [standInWithoutRelay, join(fixtures, "stand-in-relay")].join(delimiter);

/** Loaded machines start programs slowly. */
export const timeoutMs = 60_000;

/** Options that take the stand-in for Fabric, whose agent does what `settings` say. */
export function standInOptions(
  settings: JsonObject = {},
  options: Partial<FabricOptions> = {},
): FabricOptions {
  return {
    config: {
      harness: { adapter_id: "stand-in", settings },
      models: { default: { provider: "openai", model: "openai/test" } },
    },
    captureTrajectory: false,
    inheritEnv: ["PYTHONPATH"],
    ...options,
  };
}

export interface FabricRun {
  readonly trials: readonly Trial[];
  readonly tool: ToolFacts | undefined;
  readonly scratch: string;
  /** Processes that were still there when the run had ended. */
  readonly leftBehind: number;
}

export type FabricRunOptions = TestRunContextOptions & {
  readonly tasks?: readonly Partial<TestTask>[];
};

/** Probes and runs as the engine does, with the stand-in at hand. */
export async function runFabric(
  options: FabricOptions,
  request: FabricRunOptions = {},
): Promise<FabricRun> {
  return await runProbed(fabricRunner(options), request);
}

export async function runProbed(
  runner: AgentTaskRunner,
  request: FabricRunOptions = {},
): Promise<FabricRun> {
  return await runUntil(onTestFinished, runner, request);
}

/** What it leaves is removed by what is given to `later`. */
export async function runUntil(
  later: (dispose: () => Promise<void>) => void,
  runner: AgentTaskRunner,
  { tasks = [{}], ...contextOptions }: FabricRunOptions = {},
): Promise<FabricRun> {
  const context = await testRunContext({
    ...contextOptions,
    env: { PYTHONPATH: standIn, ...contextOptions.env },
  });
  later(() => context.dispose());
  const planned = tasks.map((task, index) => ({
    id: `task-${index + 1}`,
    inputs: { instruction: "Say hello" },
    ...task,
  }));
  const binding = { suiteName: "suite", baseDir: context.baseDir, overrides: [] };
  const bound = runner.configure?.(binding) ?? runner;
  const tool = await bound.probe?.(context);
  const trials: Trial[] = [];
  for await (const trial of bound.runTasks(testPlan(planned, [0]), context)) trials.push(trial);
  const leftBehind = await context.killLeftovers();
  return { trials, tool, scratch: context.scratch, leftBehind };
}

/** The one trial of a run. */
export function only({ trials }: FabricRun): Trial {
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

export interface GivenToStandIn {
  readonly config: JsonObject & { readonly environment: JsonObject };
  readonly input: string;
  readonly seeds: readonly string[];
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, readonly string[]>>;
}

/** What the stand-in was given. */
export function givenTo(trial: Trial): GivenToStandIn {
  const file = join(evidencePath(trial, "final_state"), "given.json");
  if (!existsSync(file)) throw new Error("the agent was not started");
  return JSON.parse(readFileSync(file, "utf8")) as GivenToStandIn;
}
