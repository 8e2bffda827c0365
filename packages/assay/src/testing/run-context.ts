import { setMaxListeners } from "node:events";

import type { Clock, Logger, Random } from "../contracts/clock.ts";
import type { ProcessCapability } from "../contracts/process.ts";
import type { RunContext, RunLimits, SuiteProcess } from "../contracts/runner.ts";
import { createNodePlatform } from "../platform/node-platform.ts";
import { RunSandboxes } from "../sandbox/run-sandboxes.ts";
import { newRunId, newToken } from "../support/ids.ts";

export interface TestRunContextOptions {
  /** Trials at once. Default 2. */
  readonly concurrency?: number;
  readonly signal?: AbortSignal;
  /** Aborted when no further trial is to begin. Default: as `signal`. */
  readonly closing?: AbortSignal;
  /** Declared secrets by name. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Laid over the environment of this process, which is what children and lookups of programs see; undefined unsets. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Relative paths in options and seeds start here. Default: the scratch directory. */
  readonly baseDir?: string;
  readonly limits?: Partial<RunLimits>;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
  /** Takes the place of the processes, and is given them: for who wants to see what is started. */
  readonly process?: (process: ProcessCapability) => ProcessCapability;
  /** For a runner that runs the suite's code in another process. */
  readonly suiteProcess?: SuiteProcess;
}

/** A run context on the real machine, with a scratch directory of its own. */
export interface TestRunContext extends RunContext {
  /** Stops sandboxes, then kills what still carries the token of this context or lives below its scratch, and answers how many processes there were. */
  killLeftovers(): Promise<number>;
  /** Kills leftovers and removes the scratch directory. May be called twice. */
  dispose(): Promise<void>;
}

const defaultLimits: RunLimits = {
  attemptsPerTrial: 2,
  graceMs: 1000,
  evidenceFileBytes: 64 * 1024 * 1024,
};

const silent: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/**
 * What a runner gets from the engine, for tests of runners: real processes, real files, a real clock unless another is
 * given. Dispose of it at the end.
 */
export async function testRunContext(options: TestRunContextOptions = {}): Promise<TestRunContext> {
  const { env } = createNodePlatform({});
  const platform = createNodePlatform({ env: { ...env, ...options.env } });
  const token = newToken();
  const runId = newRunId(platform.clock.now());
  const scratch = await platform.createScratch({ token, runId });
  const remains = { token, directory: scratch.path };
  const own = platform.process(token);
  const process = options.process?.(own) ?? own;
  const sandboxes = new RunSandboxes({
    ...platform,
    process,
    scratch: scratch.path,
    runId,
    token,
  });
  const signal = options.signal ?? new AbortController().signal;
  setMaxListeners(0, signal);
  return {
    runId,
    scratch: scratch.path,
    baseDir: options.baseDir ?? scratch.path,
    signal,
    closing: options.closing ?? signal,
    concurrency: options.concurrency ?? 2,
    limits: { ...defaultLimits, ...options.limits },
    log: options.log ?? silent,
    secrets: options.secrets ?? {},
    redact: (text) => text,
    process,
    sandboxes,
    files: platform.files,
    clock: options.clock ?? platform.clock,
    random: options.random ?? platform.random,
    ...(options.suiteProcess === undefined ? {} : { suiteProcess: options.suiteProcess }),
    killLeftovers: async () => {
      // As at the end of a run: what still removes a sandbox is nothing that was left.
      await sandboxes.close();
      return await platform.reap(remains);
    },
    dispose: async () => {
      await sandboxes.close();
      await platform.reap(remains);
      await scratch.remove();
    },
  };
}

function ignore(): void {}
