import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunContext, Trial } from "../../../packages/assay/src/contracts/runner.ts";
import { gymTask } from "../../../packages/assay/src/runners/gym/dataset.ts";
import type { GymRunnerOptions } from "../../../packages/assay/src/runners/gym/index.ts";
import { gymRunner } from "../../../packages/assay/src/runners/gym/runner.ts";
import { parseJson } from "../../../packages/assay/src/support/json.ts";
import type { TestTask } from "../../../packages/assay/src/testing/trial-plan.ts";
import { temporaryFolder } from "../../platform/temporary-folder.ts";
import { startTrials, type TrialRunOptions } from "../../support/run-trials.ts";
import { repoRoot } from "../../support/tools.ts";

export const fakeGym = join(repoRoot, "packages/assay/src/runners/gym/fixtures/fake-tools/gym");

/** The target of a YAML suite that is run by the fake program. */
export function fakeTarget(scene: object): string {
  return `target:
  kind: gym
  agent: simple_agent
  resources_server: mcqa
  gym_bin: ${fakeGym}
  env_vars: { FAKE_GYM: '${JSON.stringify(scene)}' }
`;
}

/** What becomes of the rollouts of a row, for the stand-in: one for all, or one each. */
export type FakeRow =
  | Readonly<Record<string, unknown>>
  | readonly Readonly<Record<string, unknown>>[];

/** Tasks of rows that say what becomes of them; the first is asked `q0`. */
export function gymTasks(...rows: readonly FakeRow[]): readonly (TestTask & { id: string })[] {
  return rows.map((fake, index) => {
    const row = { responses_create_params: { input: `q${index}` }, fake, answer: index };
    return gymTask({ value: row, dataset: "data.jsonl", rowNumber: index + 1 });
  });
}

interface FakeOptions {
  readonly options?: Partial<GymRunnerOptions>;
  /** What goes wrong; see the stand-in. */
  readonly scene?: Readonly<Record<string, unknown>>;
}

export interface GymRunRequest extends TrialRunOptions, FakeOptions {
  readonly tasks?: readonly TestTask[];
}

/** The runner with the stand-in for Gym. */
export function fakeRunner({ options = {}, scene = {} }: FakeOptions) {
  return gymRunner({
    agent: "simple_agent",
    resourcesServer: "mcqa",
    gymBin: fakeGym,
    shutdownGraceS: 5,
    ...options,
    envVars: { FAKE_GYM: JSON.stringify(scene) },
  });
}

export interface GymRun {
  /** Those that came before the end. */
  readonly trials: readonly Trial[];
  /** What ended it; null when it ended well. */
  readonly thrown: unknown;
  readonly warnings: readonly string[];
  /** Processes that had to be killed after its end. */
  readonly leftBehind: number;
  readonly runner: ReturnType<typeof gymRunner>;
  readonly context: RunContext;
}

/** Probes, then runs; what is thrown is told with the trials that came before. */
export async function runGym(request: GymRunRequest = {}): Promise<GymRun> {
  const { options = {}, scene = {}, tasks = gymTasks({}, {}), ...given } = request;
  const runner = fakeRunner({ options, scene });
  const warnings: string[] = [];
  const ignore = () => {};
  const log = {
    debug: ignore,
    info: ignore,
    error: ignore,
    warn: (text: string) => warnings.push(text),
  };
  const trials: Trial[] = [];
  const started = await startTrials(withTaps(runner, trials), tasks, { log, ...given });
  let thrown: unknown = null;
  await started.trials.catch((reason: unknown) => {
    thrown = reason;
  });
  const leftBehind = await started.context.killLeftovers();
  return { trials, thrown, warnings, leftBehind, runner, context: started.context };
}

/** Probes as the engine does, and keeps what came before a throw. */
function withTaps(runner: ReturnType<typeof gymRunner>, trials: Trial[]) {
  return Object.assign(Object.create(runner) as typeof runner, {
    async *runTasks(...[plan, context]: Parameters<typeof runner.runTasks>) {
      await runner.probe?.(context);
      for await (const trial of runner.runTasks(plan, context)) {
        trials.push(trial);
        yield trial;
      }
    },
  });
}

/** A file in which the stand-in tells what it was asked. */
export function notesFile() {
  const file = join(temporaryFolder(), "notes.jsonl");
  return {
    file,
    has(wanted: (note: Note) => boolean): boolean {
      return existsSync(file) && this.read().some(wanted);
    },
    read: (): readonly Note[] =>
      readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => parseJson(line, "note") as Note),
  };
}

export interface Note {
  readonly pid: number;
  readonly words: readonly string[];
  readonly helper?: number;
  readonly interrupted?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}
