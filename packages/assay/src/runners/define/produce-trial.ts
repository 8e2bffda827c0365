import path from "node:path";
import type { RunContext, Trial, TrialAttempt } from "../../contracts/runner.ts";
import type { TrialError } from "../../schema/trial.ts";
import { trialIdOf } from "../../support/ids.ts";
import { isPending } from "../../support/is-pending.ts";
import type { JsonObject } from "../../support/json.ts";
import { formatInstant } from "../../support/timestamps.ts";
import { type AttemptOutcome, type AttemptSetup, makeAttempt } from "./attempt.ts";
import type { PlannedTrial } from "./planned-trial.ts";

export interface TrialSetup<Options> extends AttemptSetup<Options> {
  readonly trialIdSuffix: string;
}

const backoffMs = 500;

/** Null when the run was cancelled: resume produces the trial. */
type Produced = Trial | null;

/** A trial on its way. */
interface Production<Options> {
  readonly setup: TrialSetup<Options>;
  readonly planned: PlannedTrial;
  readonly run: RunContext;
  readonly ledger: TrialAttempt[];
  /** Of the first attempt that used one. */
  directory: string | null;
}

/** Attempts a trial until it is produced or the attempts are used up: at once, unless there is something to wait for. */
export function produceTrial<Options>(
  setup: TrialSetup<Options>,
  planned: PlannedTrial,
  run: RunContext,
  queuedAtMs: number,
): Produced | Promise<Produced> {
  return attempt({ setup, planned, run, ledger: [], directory: null }, queuedAtMs);
}

function attempt<Options>(
  production: Production<Options>,
  waitingSinceMs: number,
): Produced | Promise<Produced> {
  const { setup, planned, run, ledger } = production;
  const { task, taskIndex, trialIndex } = planned;
  const place = { task, taskIndex, trialIndex, attemptIndex: ledger.length };
  const outcome = makeAttempt(setup, place, run, waitingSinceMs);
  return isPending(outcome)
    ? outcome.then((ended) => follow(production, ended))
    : follow(production, outcome);
}

/** What comes of an attempt that ended. */
function follow<Options>(
  production: Production<Options>,
  outcome: AttemptOutcome,
): Produced | Promise<Produced> {
  const { run, ledger } = production;
  ledger.push(outcome.ledger);
  run.onAttemptEnd?.(outcome.ledger);
  production.directory ??= outcome.directory;
  if (outcome.ledger.cause === "cancelled") return lose(production);
  const isLast = ledger.length >= run.limits.attemptsPerTrial;
  if (outcome.problem?.isRetryable !== true || isLast) return trialOf(production, outcome);
  return attemptAgain(production);
}

async function attemptAgain<Options>(production: Production<Options>): Promise<Produced> {
  const { run, ledger } = production;
  const waitingSinceMs = run.clock.monotonicMs();
  if (!(await isElapsed(backoffMs * 2 ** (ledger.length - 1), run))) return lose(production);
  return await attempt(production, waitingSinceMs);
}

/** A cancelled trial leaves no row; what its attempts cost is told. */
function lose<Options>({ setup, planned, run, ledger }: Production<Options>): null {
  const { id: taskId } = planned.task;
  const { trialIndex } = planned;
  const attempts = ledger.map(({ evidence: _evidence, ...lost }) => lost);
  run.onLostAttempts?.({
    trialId: trialIdOf(taskId, setup.trialIdSuffix, trialIndex),
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

function trialOf<Options>(
  { setup, planned: { task, trialIndex }, run, ledger, directory }: Production<Options>,
  outcome: AttemptOutcome,
): Trial {
  const { problem, draft, evidence, measurements } = outcome;
  const status = problem === null ? "completed" : problem.hasAgentRun ? "partial" : "failed";
  const trial: Trial = {
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
  };
  return directory === null ? trial : { ...trial, scratchDirectory: path.dirname(directory) };
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
