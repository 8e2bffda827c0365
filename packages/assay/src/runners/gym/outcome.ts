import type { Trial, TrialAttempt } from "../../contracts/runner.ts";
import {
  type Measurements,
  type TrialErrorType,
  type TrialRecordInput,
  trialRecordSchema,
} from "../../schema/trial.ts";
import { cutText } from "../../support/cut-text.ts";
import { getOwn, isPlainObject, type JsonObject, type JsonValue } from "../../support/json.ts";
import { UsageMeter } from "../define/usage.ts";
import { hasNeverRun, servedModel, textOfResponse, usageOfResponse } from "./response.ts";
import { failureText, gymKeys, type RolloutRow, rewardDetails, rewardOf } from "./rollout.ts";

/** Which trial of which task a row is. */
export interface TrialPlace {
  readonly id: string;
  readonly taskId: string;
  readonly trialIndex: number;
}

export interface RowContext {
  readonly rewardKey: string;
  /** UTC: when the row was met. */
  readonly instant: string;
  /** The model that was asked for, where it is known. */
  readonly requestedModel: string | null;
  readonly attemptCause: "ended" | "imported";
}

/** The trial of a row of a rollouts file. */
export function rolloutTrial(row: RolloutRow, place: TrialPlace, context: RowContext): Trial {
  const { fields } = row;
  const response = (getOwn(fields, "response") ?? null) as JsonValue;
  const agentRef = getOwn(fields, "agent_ref");
  const reward = rewardOf(fields, context.rewardKey);
  const measurements = measurementsOf(response);
  const problem = problemOf(row, { response, reward, rewardKey: context.rewardKey });
  const details = rewardDetails(fields, context.rewardKey);
  const hasDetails = Object.keys(details).length > 0;
  return trialOf(
    place,
    context,
    {
      status: problem === null ? "completed" : problem.status,
      output: {
        outputText: textOfResponse(response),
        response,
        metadata: isPlainObject(agentRef) ? { agent_ref: agentRef as JsonObject } : {},
      },
      error: problem?.error ?? null,
      measurements,
      metadata: {
        ...placeFacts(fields),
        ...(reward === null ? {} : { reward }),
        ...(hasDetails ? { reward_details: details } : {}),
      },
    },
    servedModel(response),
  );
}

interface Problem {
  readonly status: "partial" | "failed";
  readonly error: { readonly type: TrialErrorType; readonly message: string };
}

function problemOf(
  row: RolloutRow,
  {
    response,
    reward,
    rewardKey,
  }: {
    readonly response: JsonValue;
    readonly reward: number | null;
    readonly rewardKey: string;
  },
): Problem | null {
  if (hasNeverRun(response)) {
    const message = "no agent ran: the response has no output, and no token was sent to a model";
    return { status: "failed", error: { type: "RunnerError", message } };
  }
  if (row.tooDeep.includes("response")) {
    const message = "the response is nested too deep to be kept; the row is in the evidence";
    return { status: "partial", error: { type: "OutputUnreadable", message } };
  }
  if (reward !== null) return null;
  return {
    status: "partial",
    error: { type: "MissingReward", message: whyNoReward(row, rewardKey) },
  };
}

const maxShownCharacters = 200;

function whyNoReward({ fields, notFinite }: RolloutRow, rewardKey: string): string {
  const given = getOwn(fields, rewardKey);
  const what = `"${rewardKey}" of the rollout is no`;
  if (given === undefined) return `${what} number: there is none`;
  if (typeof given === "number" || notFinite.includes(rewardKey))
    return `${what} finite number: it is ${given}`;
  return `${what} number: it is ${cutText(JSON.stringify(given), maxShownCharacters)}`;
}

/** The trial of a row of the failures beside a rollouts file. */
export function failureTrial(row: RolloutRow, place: TrialPlace, context: RowContext): Trial {
  const { fields } = row;
  const text = failureText(fields);
  const failureClass = getOwn(fields, gymKeys.failureClass);
  const isTimeout = typeof failureClass === "string" && /time_?out/i.test(failureClass);
  return trialOf(
    place,
    context,
    {
      status: "failed",
      error: { type: isTimeout ? "TimeoutError" : "RunnerError", message: text },
      measurements: measurementsOf(getOwn(fields, "response")),
      metadata: {
        ...placeFacts(fields),
        gym_failure: text,
        ...(typeof failureClass === "string" ? { gym_failure_class: failureClass } : {}),
        ...(getOwn(fields, gymKeys.isTerminal) === true ? { gym_failure_terminal: true } : {}),
      },
    },
    null,
  );
}

/** As Gym counts, which may differ from how the run does. */
function placeFacts(fields: JsonObject): JsonObject {
  const keys = [gymKeys.taskIndex, gymKeys.rolloutIndex, gymKeys.attemptIndex];
  const known = keys.filter((key) => typeof getOwn(fields, key) === "number");
  return Object.fromEntries(known.map((key) => [key, getOwn(fields, key) as number]));
}

/** Gym does not tell how long a rollout took. */
function measurementsOf(response: unknown): Measurements {
  const meter = new UsageMeter();
  meter.add(usageOfResponse(response));
  return { ...meter.measurements(0), runtimeSec: null };
}

function trialOf(
  { id, taskId, trialIndex }: TrialPlace,
  { instant, requestedModel, attemptCause }: RowContext,
  draft: Omit<TrialRecordInput, "id" | "taskId" | "metadata"> & { readonly metadata: JsonObject },
  served: string | null,
): Trial {
  const { status, error, metadata } = draft;
  const record = trialRecordSchema.parse({
    ...draft,
    id,
    taskId,
    error: error === null || error === undefined ? null : { ...error, occurredAt: null },
    metadata: {
      ...metadata,
      agent_ok: status === "completed",
      ...(attemptCause === "imported" ? {} : { isolation: "none" }),
    },
  });
  const { promptTokens, completionTokens, cacheReadTokens, costUsd } = record.measurements;
  const attempt: TrialAttempt = {
    cause: attemptCause === "imported" ? "imported" : status === "failed" ? "error" : "ended",
    fault: status === "completed" ? "none" : status === "partial" ? "target" : "infrastructure",
    errorType: record.error?.type ?? null,
    startedAt: instant,
    durationMs: null,
    requestedModel,
    servedModel: served,
    promptTokens,
    completionTokens,
    cacheReadTokens,
    costUsd,
  };
  return { ...record, trialIndex, attempts: [attempt] };
}
