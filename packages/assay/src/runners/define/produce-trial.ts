import path from "node:path";

import type { RunContext, Trial, TrialAttempt } from "../../contracts/runner.ts";
import type { Task } from "../../contracts/task.ts";
import { measurementsSchema, type AgentOutput, type TrialError, agentOutputSchema } from "../../schema/trial.ts";
import { trialIdOf } from "../../support/ids.ts";
import { formatInstant } from "../../support/timestamps.ts";
import { type AttemptOutcome, type AttemptSetup, isBlank, makeAttempt } from "./attempt.ts";
import type { TrialDraft } from "./draft.ts";

export interface TrialSetup<Options> extends AttemptSetup<Options> {
  readonly trialIdSuffix: string;
}

interface Planned {
  readonly task: Task;
  readonly taskIndex: number;
  readonly trialIndex: number;
}

const backoffMs = 500;

/** Attempts a trial until it is produced or the attempts are used up. Null when the run was cancelled: resume produces it. */
export async function produceTrial<Options>(
  setup: TrialSetup<Options>,
  planned: Planned,
  run: RunContext,
  queuedAtMs: number,
): Promise<Trial | null> {
  const ledger: TrialAttempt[] = [];
  for (let attemptIndex = 0; ; attemptIndex += 1) {
    const outcome = await makeAttempt(setup, { ...planned, attemptIndex }, run, queuedAtMs);
    ledger.push(outcome.ledger);
    if (outcome.cause === "cancelled") return null;
    const mayRetry = outcome.problem?.isRetryable === true && attemptIndex + 1 < run.limits.attemptsPerTrial;
    if (!mayRetry) return await buildTrial(setup, planned, { outcome, ledger, run });
    const isInTime = await run.clock.sleep(backoffMs * 2 ** attemptIndex * (0.5 + run.random.next()), run.signal).then(
      () => true,
      () => false,
    );
    if (!isInTime) return null;
  }
}

interface Produced {
  readonly outcome: AttemptOutcome;
  readonly ledger: readonly TrialAttempt[];
  readonly run: RunContext;
}

async function buildTrial<Options>(
  setup: TrialSetup<Options>,
  { task, trialIndex }: Planned,
  { outcome, ledger, run }: Produced,
): Promise<Trial> {
  const { problem, recorder, draft } = outcome;
  const status = problem === null ? "completed" : problem.hasAgentRun ? "partial" : "failed";
  const output = status === "failed" ? null : outputOf(draft);
  const seededFiles = await recorder.seededFiles();
  const directory = await recorder.usedDirectory?.catch(() => null);
  return {
    id: trialIdOf(task.id, setup.trialIdSuffix, trialIndex),
    taskId: task.id,
    trialIndex,
    status,
    output,
    evidence: Object.keys(outcome.evidence.descriptors).length === 0 ? null : outcome.evidence,
    error: errorOf(problem, formatInstant(run.clock.now())),
    measurements: measurementsSchema.parse({
      ...recorder.usage.sums,
      runtimeSec: outcome.ledger.durationMs / 1000,
      ...draft?.measurements,
    }),
    metadata: {
      ...(draft?.metadata ?? problem?.metadata),
      ...(seededFiles === null ? {} : { seeded_files: [...seededFiles] }),
      agent_ok: status === "completed",
    },
    attempts: ledger,
    ...(directory === null || directory === undefined ? {} : { scratchDirectory: path.dirname(directory) }),
  };
}

function outputOf(draft: TrialDraft | null): AgentOutput | null {
  if (draft === null || draft.output === null) return null;
  if (typeof draft.output !== "string") {
    return isBlank(draft.output) && draft.output.outputText === undefined ? null : agentOutputSchema.parse(draft.output);
  }
  return { outputText: draft.output, response: null, metadata: {} };
}

function errorOf(problem: AttemptOutcome["problem"], instant: string): TrialError | null {
  if (problem === null) return null;
  return { type: problem.type, message: problem.message, traceback: problem.traceback, occurredAt: instant };
}
