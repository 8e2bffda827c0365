import { afterAll } from "vitest";

import type { ToolFacts, Trial } from "../../../packages/assay/src/contracts/runner.ts";
import type { DockerSandboxOptions } from "../../../packages/assay/src/runners/docker-sandbox/index.ts";
import { dockerSandboxRunner } from "../../../packages/assay/src/runners/docker-sandbox/runner.ts";
import {
  type TestRunContextOptions,
  testRunContext,
} from "../../../packages/assay/src/testing/run-context.ts";
import { type TestTask, testPlan } from "../../../packages/assay/src/testing/trial-plan.ts";
import { baseImage } from "../../sandbox/docker-kit.ts";
import { agentsPeer } from "../../support/tools.ts";
import { type ModelServer, type Scripts, startModelServer } from "./model-server.ts";

const undo: (() => unknown)[] = [];
/** Of the file: tests that run at once have no end of their own here. */
afterAll(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

export const modelKey = "sk-scripted-very-quiet-otter-41";

/** Settings for a scripted server and the image of the tests. */
export function settingsFor(
  { url }: Pick<ModelServer, "url">,
  options: DockerSandboxOptions = {},
): DockerSandboxOptions {
  return { model: "m", image: baseImage, baseUrl: url, timeoutS: 60, ...options };
}

export async function serve(scripts: Scripts): Promise<ModelServer> {
  const server = await startModelServer(scripts);
  undo.push(() => server.close());
  return server;
}

export interface SandboxRun {
  readonly trials: readonly Trial[];
  readonly tool: ToolFacts | undefined;
}

/** Probes and runs as the engine does; a task for each title unless others are given. */
export async function runSandbox(
  options: DockerSandboxOptions,
  tasks: readonly TestTask[],
  given: TestRunContextOptions = {},
): Promise<SandboxRun> {
  const context = await testRunContext({
    baseDir: agentsPeer,
    secrets: { OPENAI_API_KEY: modelKey },
    ...given,
  });
  undo.push(() => context.dispose());
  const runner = dockerSandboxRunner(options);
  const tool = await runner.probe?.(context);
  const trials: Trial[] = [];
  for await (const trial of runner.runTasks(testPlan(tasks), context)) trials.push(trial);
  for (const t of trials) console.error(t.taskId, t.status, JSON.stringify(t.error)?.slice(0, 700));
  trials.sort((left, right) => (left.taskId < right.taskId ? -1 : 1));
  return { trials, tool };
}
