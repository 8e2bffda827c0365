import type { ManifestFacts } from "../bundle/manifest.ts";
import { WriteDoor } from "../bundle/write-door.ts";
import { describeThrown } from "../errors/assay-error.ts";
import { createRedactor } from "../provenance/redaction/redactor.ts";
import { newRunId, newToken } from "../support/ids.ts";
import type { EvalResult, PlanPreview, RunOptions } from "./api.ts";
import { beginOutput, refuseOutput, runDirectory } from "./directory.ts";
import { finishRun } from "./finish/finish.ts";
import { releaseRun } from "./finish/release.ts";
import { type Lineage, noLineage } from "./lineage.ts";
import { type Draft, draftRun } from "./plan/draft.ts";
import { prepareRun, previewOf } from "./plan/prepare.ts";
import { runSecrets } from "./plan/run-secrets.ts";
import type { Platform } from "./platform.ts";
import { redactedError } from "./redact-error.ts";
import type { PreparedRun } from "./run-state.ts";
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
  const { options, platform, lineage = noLineage } = evaluation;
  const draft = draftRun(evaluation);
  await refuseOutput(options, platform);
  const { run, result } = await withPreparedRun(evaluation, draft, async (run) => {
    const directory = await runDirectory(options, platform);
    const started = startClock(platform);
    const door = await beginOutput(() => createDoor(run, directory.path, lineage));
    try {
      const begun = { manifest: manifestFacts(run), plan: run.record, tasks: run.tasks };
      await beginOutput(() => door.begin(begun));
      announce(run, door.dir);
      const execution = await execute(run, door, options.signal ?? neverAborted);
      const end = { run, door, execution, started, directory, lineage, options };
      return { run, result: await finishRun(end) };
    } finally {
      await releaseDoor(door, run);
    }
  });
  run.emit({ type: "run-end", status: result.status });
  return result;
}

/** Everything `runEvaluation` checks before the first trial, and the plan; nothing is run or kept. */
export async function previewEvaluation(evaluation: Evaluation): Promise<PlanPreview> {
  const draft = draftRun(evaluation);
  await refuseOutput(evaluation.options, evaluation.platform);
  return await withPreparedRun(evaluation, draft, async (run) => previewOf(draft, run));
}

/** Prepares a run with a private scratch directory, which is removed at the end. No secret leaves in what is thrown. */
async function withPreparedRun<T>(
  evaluation: Evaluation,
  draft: Draft,
  work: (run: PreparedRun) => Promise<T>,
): Promise<T> {
  const { suite, options, platform } = evaluation;
  const token = newToken();
  const runId = options.runId ?? newRunId(platform.clock.now());
  const secrets = runSecrets(suite.secrets, platform.env);
  const scratch = await platform.createScratch({ token, runId });
  const surroundings = {
    runId,
    token,
    scratch: scratch.path,
    signal: options.signal ?? neverAborted,
    secrets,
    redactor: createRedactor({ secrets: secrets.known }),
  };
  let run: PreparedRun | null = null;
  try {
    run = await prepareRun(draft, evaluation, surroundings);
    return await work(run);
  } catch (thrown) {
    throw redactedError(thrown, (run ?? surroundings).redactor);
  } finally {
    await releaseRun({ runner: draft.target.runner, run, token, scratch, platform });
  }
}

const neverAborted = new AbortController().signal;

export interface StartedAt {
  readonly instant: Date;
  readonly monotonicMs: number;
}

function startClock({ clock }: Platform): StartedAt {
  return { instant: clock.now(), monotonicMs: clock.monotonicMs() };
}

async function createDoor(run: PreparedRun, dir: string, lineage: Lineage): Promise<WriteDoor> {
  const { platform, redactor, token } = run;
  const { files, clock, identities } = platform;
  const importRoots = lineage.evidenceRoots;
  return await WriteDoor.create(dir, run.scratch, {
    files,
    clock,
    identities,
    redactor,
    token,
    importRoots,
  });
}

/** By now the run is decided: a claim that stays is told, and costs nothing more. */
async function releaseDoor(door: WriteDoor, run: PreparedRun): Promise<void> {
  await door.release().catch((thrown: unknown) => {
    const message = `the claim on "${door.dir}" is left: ${describeThrown(thrown)}`;
    run.emit({ type: "warning", message });
  });
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
