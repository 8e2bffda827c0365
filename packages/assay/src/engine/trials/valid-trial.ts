import { z } from "zod";

import type { ReceivedTrial } from "../../bundle/admit-trial.ts";
import type { Trial, TrialAttempt } from "../../contracts/runner.ts";
import { messageOf } from "../../errors/assay-error.ts";
import { attemptSchema } from "../../schema/attempt.ts";
import { parseCopy } from "../../schema/codec.ts";
import { evidenceSetSchema } from "../../schema/evidence.ts";
import {
  measurementsSchema,
  type TrialError,
  type TrialRecord,
  trialRecordSchema,
} from "../../schema/trial.ts";
import { copyPlain } from "../../support/json.ts";
import { formatInstant } from "../../support/timestamps.ts";

const trialSchema = trialRecordSchema.safeExtend({
  trialIndex: z.int().nonnegative(),
  attempts: z
    .array(attemptSchema.extend({ evidence: evidenceSetSchema.nullable().default(null) }))
    .default([]),
  scratchDirectory: z.unknown().optional(),
});

/** What was spent stands, whatever else of a trial is wrong. */
const spentSchema = z.object({
  measurements: measurementsSchema.catch(measurementsSchema.parse({})),
  attempts: z.array(z.object(attemptSchema.shape)).catch([]),
});

/**
 * A trial of the right shape: one that a runner got wrong becomes a failed trial that says what was wrong, and keeps what
 * it has cost. It is a copy: what an agent does to its objects after its end changes neither what is stored nor what is
 * scored.
 */
export function validTrial(given: Trial, now: Date): ReceivedTrial {
  const who = typeof given.id === "string" && given.id !== "" ? given.id : null;
  try {
    return receivedTrial(parseCopy(trialSchema, given, { source: `trial "${who ?? ""}"` }), now);
  } catch (thrown) {
    const { taskId, trialIndex } = given;
    const id = who ?? `${taskId}:invalid:${trialIndex}`;
    const error = { type: "RunnerError", message: messageOf(thrown) };
    const failed = failedTrial({ id, taskId, trialIndex }, error, { cause: "infrastructure", now });
    return withSpent(failed, given, now);
  }
}

function withSpent(failed: ReceivedTrial, given: Trial, now: Date): ReceivedTrial {
  const spent = spentSchema.safeParse(copyPlain({ ...given }));
  if (!spent.success) return failed;
  const { measurements, attempts } = spent.data;
  const { cause, fault, errorType } = failed.attempts[0] as TrialAttempt;
  const earlier = attempts.slice(0, -1);
  const last = attempts.at(-1) ?? attemptOf({ ...failed.record, measurements }, now);
  return {
    ...failed,
    record: { ...failed.record, measurements },
    attempts: [...earlier, { ...last, cause, fault, errorType }],
  };
}

function receivedTrial(trial: z.output<typeof trialSchema>, now: Date): ReceivedTrial {
  const { id, taskId, status, output, evidence, error, measurements, metadata } = trial;
  const record = { id, taskId, status, output, evidence, error, measurements, metadata };
  const { trialIndex, attempts, scratchDirectory } = trial;
  return {
    record,
    trialIndex,
    attempts: attempts.length === 0 ? [attemptOf(record, now)] : attempts,
    scratchDirectory: typeof scratchDirectory === "string" ? scratchDirectory : null,
  };
}

/** A trial that could not be produced, through no fault of the agent. */
export function failedTrial(
  place: Pick<Trial, "id" | "taskId" | "trialIndex">,
  error: Pick<TrialError, "type" | "message">,
  { cause, now }: { readonly cause: TrialAttempt["cause"]; readonly now: Date },
): ReceivedTrial {
  const { trialIndex, id, taskId } = place;
  const startedAt = formatInstant(now);
  const record = trialRecordSchema.parse({
    id,
    taskId,
    status: "failed",
    error: { ...error, occurredAt: startedAt },
    metadata: { agent_ok: false },
  });
  const { type: errorType } = error;
  const attempt = {
    cause,
    fault: "infrastructure",
    errorType,
    startedAt,
    durationMs: null,
  } as const;
  return { record, trialIndex, attempts: [attempt], scratchDirectory: null };
}

/** The one attempt of a runner that keeps no ledger, as far as its trial tells. */
function attemptOf({ status, error, measurements }: TrialRecord, now: Date): TrialAttempt {
  const { runtimeSec, promptTokens, completionTokens, costUsd, cacheReadTokens } = measurements;
  return {
    cause: error?.type === "TimeoutError" ? "timeout" : status === "failed" ? "error" : "ended",
    fault: faults[status],
    errorType: error?.type ?? null,
    startedAt: formatInstant(now),
    durationMs: runtimeSec === null ? null : Math.max(0, runtimeSec) * 1000,
    promptTokens,
    completionTokens,
    costUsd,
    cacheReadTokens,
  };
}

const faults = { completed: "none", partial: "target", failed: "infrastructure" } as const;
