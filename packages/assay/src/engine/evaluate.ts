import type { ManifestFacts } from "../bundle/manifest.ts";
import { WriteDoor } from "../bundle/write-door.ts";
import { newToken } from "../support/ids.ts";
import type { EvalResult, PlanPreview, RunOptions } from "./api.ts";
import { runDirectory } from "./directory.ts";
import { finishRun } from "./finish/finish.ts";
import { type Lineage, noLineage } from "./lineage.ts";
import { type Draft, draftRun } from "./plan/draft.ts";
import { prepareRun, previewOf, runIdOf } from "./plan/prepare.ts";
import type { Platform } from "./platform.ts";
import type { PreparedRun, StartedAt } from "./run-state.ts";
import type { Suite } from "./suite/suite.ts";
import { execute } from "./trials/execute.ts";

export interface Evaluation {
  readonly suite: Suite;
  readonly options: RunOptions;
  readonly platform: Platform;
  /** What the trials come from, when they are not new. */
  readonly lineage?: Lineage;
}

/**
 * Runs a suite: everything is validated before anything is spent, each trial is journalled as it ends and scored from
 * then on, and the run directory is a whole bundle whatever ended the run.
 */
export async function runEvaluation(evaluation: Evaluation): Promise<EvalResult> {
  const { options, platform } = evaluation;
  const draft = draftRun(evaluation);
  return await withPreparedRun(evaluation, draft, async (run) => {
    const directory = await runDirectory(options, platform);
    const started = startClock(platform);
    const door = await WriteDoor.create(directory.path, run.scratch, {
      files: platform.files,
      clock: platform.clock,
      redactor: run.redactor,
      importRoots: evaluation.lineage?.evidenceRoots ?? [],
    });
    await door.begin({ manifest: manifestFacts(run), plan: run.record, tasks: run.tasks });
    announce(run, door.dir);
    const execution = await execute(run, door, options.signal ?? neverAborted);
    return await finishRun({
      run,
      door,
      execution,
      started,
      directory,
      lineage: evaluation.lineage ?? noLineage,
      options,
    });
  });
}

/** Everything `runEvaluation` checks before the first trial, and the plan; nothing is run or kept. */
export async function previewEvaluation(evaluation: Evaluation): Promise<PlanPreview> {
  const draft = draftRun(evaluation);
  return await withPreparedRun(evaluation, draft, async (run) => previewOf({ draft, ...run }));
}

/** Prepares a run with a private scratch directory, which is removed at the end. */
async function withPreparedRun<T>(
  evaluation: Evaluation,
  draft: Draft,
  work: (run: PreparedRun) => Promise<T>,
): Promise<T> {
  const { options, platform } = evaluation;
  const token = newToken();
  const runId = runIdOf(options, platform);
  const scratch = await platform.createScratch({ token, runId });
  try {
    const run = await prepareRun(draft, evaluation, {
      scratch,
      token,
      runId,
      signal: options.signal ?? neverAborted,
    });
    return await work(run);
  } finally {
    await draft.target.runner.dispose?.();
    await platform.reapByToken(token);
    await scratch.remove();
  }
}

const neverAborted = new AbortController().signal;

function startClock({ clock }: Platform): StartedAt {
  return { instant: clock.now(), monotonicMs: clock.monotonicMs() };
}

function manifestFacts({ runId, token }: PreparedRun): ManifestFacts {
  return { runId, token, status: "running", statusCause: null, provenanceSha256: null };
}

function announce(run: PreparedRun, workDir: string): void {
  const scoreCount = run.plan.tasks.reduce(
    (sum, { task, trialIndexes }) => sum + task.metrics.length * trialIndexes.length,
    0,
  );
  run.emit({
    type: "run-start",
    runId: run.runId,
    taskCount: run.tasks.length,
    trialCount: run.plan.trialCount,
    scoreCount,
    concurrency: run.concurrency,
    target: run.info,
    workDir,
  });
}
