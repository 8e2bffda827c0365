import type { TrialAttempt } from "../../contracts/runner.ts";
import {
  AssayError,
  describeThrown,
  isThrown,
  messageOf,
  stackOf,
} from "../../errors/assay-error.ts";
import type { AttemptCause } from "../../schema/attempt.ts";
import type { TrialErrorType } from "../../schema/trial.ts";
import type { JsonObject } from "../../support/json.ts";
import { type CheckedDraft, TrialFailure } from "./draft.ts";

/** Why an attempt did not end well. */
export interface AttemptProblem {
  readonly type: TrialErrorType;
  readonly message: string;
  readonly traceback: string | null;
  readonly cause: AttemptCause;
  readonly fault: TrialAttempt["fault"];
  readonly isRetryable: boolean;
  /** The agent ran: the trial is partial, not failed. */
  readonly hasAgentRun: boolean;
  readonly metadata: JsonObject;
}

export type Settled =
  | { readonly kind: "draft"; readonly draft: CheckedDraft }
  | { readonly kind: "threw"; readonly thrown: unknown }
  | { readonly kind: "abandoned" };

export interface AttemptEnd {
  readonly settled: Settled;
  readonly hasTimedOut: boolean;
  readonly isCancelled: boolean;
  /** The agent looked at its signal: what it gave after a cancel may be cut short. */
  readonly isSignalWatched: boolean;
}

interface TimeLimit {
  readonly timeLimitMs: number | null;
}

/** What is wrong with how the attempt ended, or null. */
export function problemOf(end: AttemptEnd, limit: TimeLimit): AttemptProblem | null {
  const { settled } = end;
  if (end.hasTimedOut) return timeoutProblem(settled, limit);
  if (settled.kind === "draft") {
    const problem = draftProblem(settled.draft);
    // What an agent says of an end that it was told to make is not its own doing, and its reply may be half of one.
    // A reply without a problem from an agent that never looked at its signal is finished work.
    const mayBeCutShort = problem !== null || end.isSignalWatched;
    return end.isCancelled && mayBeCutShort ? cancelled : problem;
  }
  return end.isCancelled || settled.kind === "abandoned"
    ? cancelled
    : problemOfThrown(settled.thrown);
}

const cancelled: AttemptProblem = {
  type: "UnknownException",
  message: "cancelled",
  traceback: null,
  cause: "cancelled",
  fault: "none",
  isRetryable: false,
  hasAgentRun: true,
  metadata: {},
};

function timeoutProblem(settled: Settled, { timeLimitMs }: TimeLimit): AttemptProblem {
  const seconds = (timeLimitMs ?? 0) / 1000;
  const abandoned = settled.kind === "abandoned" ? "; it ignored its signal and was abandoned" : "";
  return {
    ...agentProblem("TimeoutError", `the agent did not end within its ${seconds} s${abandoned}`),
    cause: "timeout",
  };
}

function draftProblem({ error, output }: CheckedDraft): AttemptProblem | null {
  if (error !== undefined) {
    return { ...agentProblem(error.type, error.message), traceback: error.traceback };
  }
  const isBlank = (output?.outputText ?? "").trim() === "" && (output?.response ?? null) === null;
  return isBlank ? agentProblem("BlankReply", "the agent gave a blank reply") : null;
}

function agentProblem(type: TrialErrorType, message: string): AttemptProblem {
  return {
    type,
    message,
    traceback: null,
    cause: "ended",
    fault: "target",
    isRetryable: false,
    hasAgentRun: true,
    metadata: {},
  };
}

/** A throw says that the trial could not be produced. */
export function problemOfThrown(thrown: unknown): AttemptProblem {
  const base = {
    traceback: null,
    isRetryable: false,
    hasAgentRun: false,
    message: messageOf(thrown),
    metadata: {},
  };
  if (isThrown(thrown, TrialFailure)) {
    const { type, metadata } = thrown;
    return { ...base, type, metadata, cause: "error", fault: "user" };
  }
  if (!AssayError.isInstance(thrown)) {
    const message = describeThrown(thrown);
    const traceback = stackOf(thrown);
    const cause = "infrastructure";
    return { ...base, type: "RunnerError", message, traceback, cause, fault: "infrastructure" };
  }
  const isTheirs = thrown.fault === "environment" || thrown.fault === "user";
  return {
    ...base,
    type: typeOfCode(thrown),
    cause: isTheirs ? "error" : "infrastructure",
    fault: isTheirs ? (thrown.fault as "environment" | "user") : "infrastructure",
    isRetryable: thrown.retryable,
  };
}

function typeOfCode({ code }: AssayError): TrialErrorType {
  switch (code) {
    case "ASSAY_SEED_INVALID":
      return "WorkspaceSeedError";
    case "ASSAY_PROCESS_SPAWN_FAILED":
      return "ProcessSpawnError";
    case "ASSAY_CONNECTION_FAILED":
      return "ConnectionError";
    case "ASSAY_RATE_LIMITED":
      return "RateLimited";
    case "ASSAY_SECRET_MISSING":
      return "MissingCredential";
    case "ASSAY_PATH_ESCAPES":
      return "UnsafeFolder";
    default:
      return "RunnerError";
  }
}
