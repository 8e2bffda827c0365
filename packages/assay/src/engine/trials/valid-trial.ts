import { z } from "zod";

import type { Trial, TrialAttempt } from "../../contracts/runner.ts";
import { messageOf } from "../../errors/assay-error.ts";
import { attemptSchema } from "../../schema/attempt.ts";
import { parseValue } from "../../schema/codec.ts";
import { evidenceSetSchema } from "../../schema/evidence.ts";
import { type TrialError, type TrialRecord, trialRecordSchema } from "../../schema/trial.ts";
import { copyPlain } from "../../support/json.ts";
import { formatInstant } from "../../support/timestamps.ts";

const ledgerSchema = z.array(
  attemptSchema.extend({ evidence: evidenceSetSchema.nullable().default(null) }),
);

/** A trial of the right shape: one that a runner got wrong becomes a failed trial that says what was wrong. */
export function validTrial(trial: Trial, now: Date): Trial {
  const who = typeof trial.id === "string" && trial.id !== "" ? trial.id : null;
  try {
    const { trialIndex, attempts = [], scratchDirectory, ...given } = trial;
    const source = `trial "${who ?? ""}"`;
    // A copy: what an agent does to its objects after its end changes neither what is stored nor what is scored.
    const record = copyPlain(parseValue(trialRecordSchema, given, { source }));
    const ledger = parseValue(ledgerSchema, attempts, { source: `attempts of ${source}` });
    // What is new stands first: adding to the copy of an object costs more than copying it.
    return {
      trialIndex,
      attempts: ledger.length === 0 ? [attemptOf(record, now)] : ledger,
      ...(typeof scratchDirectory === "string" ? { scratchDirectory } : {}),
      ...record,
    };
  } catch (thrown) {
    const { taskId, trialIndex } = trial;
    const id = who ?? `${taskId}:invalid:${trialIndex}`;
    const error = { type: "RunnerError", message: messageOf(thrown) };
    return failedTrial({ id, taskId, trialIndex }, error, { cause: "infrastructure", now });
  }
}

/** A trial that could not be produced, through no fault of the agent. */
export function failedTrial(
  place: Pick<Trial, "id" | "taskId" | "trialIndex">,
  error: Pick<TrialError, "type" | "message">,
  { cause, now }: { readonly cause: TrialAttempt["cause"]; readonly now: Date },
): Trial {
  const { trialIndex, ...ids } = place;
  const startedAt = formatInstant(now);
  const { type } = error;
  return {
    ...trialRecordSchema.parse({
      ...ids,
      status: "failed",
      error: { ...error, occurredAt: startedAt },
      metadata: { agent_ok: false },
    }),
    trialIndex,
    attempts: [{ cause, fault: "infrastructure", errorType: type, startedAt, durationMs: 0 }],
  };
}

/** The one attempt of a runner that keeps no ledger, as far as its trial tells. */
function attemptOf({ status, error, measurements }: TrialRecord, now: Date): TrialAttempt {
  const { runtimeSec, promptTokens, completionTokens, costUsd } = measurements;
  return {
    cause: error?.type === "TimeoutError" ? "timeout" : status === "failed" ? "error" : "ended",
    fault: faults[status],
    errorType: error?.type ?? null,
    startedAt: formatInstant(now),
    durationMs: Math.max(0, runtimeSec ?? 0) * 1000,
    promptTokens,
    completionTokens,
    costUsd,
  };
}

const faults = { completed: "none", partial: "target", failed: "infrastructure" } as const;
