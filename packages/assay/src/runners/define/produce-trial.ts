import path from "node:path";

import type { RunContext, Trial, TrialAttempt } from "../../contracts/runner.ts";
import type { TrialError } from "../../schema/trial.ts";
import { trialIdOf } from "../../support/ids.ts";
import type { JsonObject } from "../../support/json.ts";
import { formatInstant } from "../../support/timestamps.ts";
import { type AttemptOutcome, type AttemptSetup, makeAttempt } from "./attempt.ts";
import type { PlannedTrial } from "./planned-trial.ts";

export interface TrialSetup<Options> extends AttemptSetup<Options> {
  readonly trialIdSuffix: string;
}

const backoffMs = 500;

/** Attempts a trial until it is produced or the attempts are used up. Null when the run was cancelled: resume produces it. */
export async function produceTrial<Options>(
  setup: TrialSetup<Options>,
  planned: PlannedTrial,
  run: RunContext,
  queuedAtMs: number,
): Promise<Trial | null> {
  const ledger: TrialAttempt[] = [];
  let directory: string | null = null;
  let waitingSinceMs = queuedAtMs;
  for (let attemptIndex = 0; ; attemptIndex += 1) {
    const outcome = await makeAttempt(setup, { ...planned, attemptIndex }, run, waitingSinceMs);
    ledger.push(outcome.ledger);
    run.onAttemptEnd?.(outcome.ledger);
    directory ??= outcome.directory;
    if (outcome.ledger.cause === "cancelled") return lose(setup, planned, run, ledger);
    const isLast = attemptIndex + 1 >= run.limits.attemptsPerTrial;
    if (outcome.problem?.isRetryable !== true || isLast) {
      return trialOf(setup, planned, run, { outcome, ledger, directory });
    }
    waitingSinceMs = run.clock.monotonicMs();
    if (!(await isElapsed(backoffMs * 2 ** attemptIndex, run)))
      return lose(setup, planned, run, ledger);
  }
}

/** A cancelled trial leaves no row; what its attempts cost is told. */
function lose<Options>(
  { trialIdSuffix }: TrialSetup<Options>,
  { task: { id: taskId }, trialIndex }: PlannedTrial,
  { onLostAttempts }: RunContext,
  ledger: readonly TrialAttempt[],
): null {
  const attempts = ledger.map(({ evidence: _evidence, ...attempt }) => attempt);
  onLostAttempts?.({
    trialId: trialIdOf(taskId, trialIdSuffix, trialIndex),
    taskId,
    trialIndex,
    attempts,
  });
  return null;
}

/** Waits about `ms`, spread so that trials that failed together do not come back together. False when cancelled. */
function isElapsed(ms: number, { clock, random, signal }: RunContext): Promise<boolean> {
  return clock.sleep(ms * (0.5 + random.next()), signal).then(
    () => true,
    () => false,
  );
}

interface Produced {
  readonly outcome: AttemptOutcome;
  readonly ledger: readonly TrialAttempt[];
  /** Of the first attempt that used one. */
  readonly directory: string | null;
}

function trialOf<Options>(
  setup: TrialSetup<Options>,
  { task, trialIndex }: PlannedTrial,
  run: RunContext,
  { outcome, ledger, directory }: Produced,
): Trial {
  const { problem, draft, evidence, measurements } = outcome;
  const status = problem === null ? "completed" : problem.hasAgentRun ? "partial" : "failed";
  return {
    id: trialIdOf(task.id, setup.trialIdSuffix, trialIndex),
    taskId: task.id,
    trialIndex,
    status,
    output: status === "failed" ? null : (draft?.output ?? null),
    evidence,
    error: errorOf(problem, run),
    measurements,
    metadata: metadataOf(outcome, status),
    attempts: ledger,
    ...(directory === null ? {} : { scratchDirectory: path.dirname(directory) }),
  };
}

function metadataOf(
  { draft, problem, seededFiles }: AttemptOutcome,
  status: Trial["status"],
): JsonObject {
  const given = draft?.metadata ?? problem?.metadata;
  const agent_ok = status === "completed";
  if (given === undefined && seededFiles === null) return { agent_ok };
  const seeded = seededFiles === null ? {} : { seeded_files: [...seededFiles] };
  return { ...given, ...seeded, agent_ok };
}

function errorOf(problem: AttemptOutcome["problem"], { clock }: RunContext): TrialError | null {
  if (problem === null) return null;
  const { type, message, traceback } = problem;
  return { type, message, traceback, occurredAt: formatInstant(clock.now()) };
}
