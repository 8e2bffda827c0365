import path from "node:path";

import type { FileStore } from "../../contracts/files.ts";
import type { Trial, TrialAttempt } from "../../contracts/runner.ts";
import type { TrialError } from "../../schema/trial.ts";
import { cutText } from "../../support/cut-text.ts";
import type { JsonObject } from "../../support/json.ts";
import { formatInstant } from "../../support/timestamps.ts";
import { evidenceOf, type TraceFacts } from "./evidence.ts";
import { at, type HarborResult, isText } from "./read-result.ts";
import { type Rewards, rewardMetadata, rewardsOf } from "./rewards.ts";
import { timesOf } from "./times.ts";
import { errorOf, type HarborError } from "./trial-error.ts";
import { usageOf } from "./usage.ts";

export interface AdaptContext {
  readonly files: Pick<FileStore, "walk" | "stat" | "readRegular">;
  /** Text without the secrets of the run. */
  readonly redact: (text: string) => string;
  readonly rewardKey: string;
  /** For a trial that does not say when it began. */
  readonly now: () => Date;
  /** Of the ledger: it was run by this run, or had been there before. */
  readonly cacheHit: boolean | null;
}

/** Where a trial of Harbor stands among those of Assay. */
export interface TrialPlace {
  readonly taskId: string;
  readonly trialIndex: number;
  /** The trial's folder, below a directory that evidence is taken from. */
  readonly directory: string;
}

const maxOutputCharacters = 1024 * 1024;

/** A trial of Harbor as one of Assay. It is completed when nothing was thrown and there is a reward; else it is partial. */
export async function trialOf(
  result: HarborResult,
  { taskId, trialIndex, directory }: TrialPlace,
  context: AdaptContext,
): Promise<Trial> {
  const rewards = rewardsOf(result, context.rewardKey);
  const error = errorOf(result, context.redact);
  const { evidence, trace } = await evidenceOf(directory, context.files);
  const usage = usageOf(result);
  const times = timesOf(result);
  const isCompleted = error === null && rewards.reward !== null;
  const ranMs = times.agentMs ?? times.durationMs;
  const measurements = {
    ...usage.measurements((ranMs ?? 0) / 1000),
    ...(ranMs === null ? { runtimeSec: null } : {}),
  };
  const { promptTokens, completionTokens, cacheReadTokens, costUsd } = measurements;
  const attempt: TrialAttempt = {
    ...endingOf(error, rewards),
    startedAt: formatInstant(times.startedAt ?? context.now()),
    durationMs: times.durationMs,
    phasesMs: times.phasesMs,
    requestedModel: requestedModelOf(result),
    promptTokens,
    completionTokens,
    cacheReadTokens,
    costUsd,
    cacheHit: context.cacheHit,
  };
  return {
    id: result.name,
    taskId,
    trialIndex,
    status: isCompleted ? "completed" : "partial",
    output: outputOf(trace, context),
    evidence,
    error: isCompleted ? null : recordedError(error, rewards, context.rewardKey),
    measurements,
    metadata: {
      ...rewardMetadata(rewards, context.rewardKey),
      harbor_trial_dir: path.basename(directory),
      ...agentFacts(result),
      ...traceMetadata(trace),
      ...(error?.isTracebackCut === true ? { traceback_truncated: true } : {}),
      agent_ok: isCompleted,
    },
    attempts: [attempt],
  };
}

function outputOf({ finalMessage }: TraceFacts, { redact }: AdaptContext): Trial["output"] {
  const said = isText(finalMessage) ? redact(finalMessage) : null;
  const isCut = said !== null && said.length > maxOutputCharacters;
  return {
    outputText: said === null ? null : cutText(said, maxOutputCharacters),
    response: null,
    metadata: isCut ? { output_truncated: true } : {},
  };
}

function recordedError(
  error: HarborError | null,
  { rejections }: Rewards,
  rewardKey: string,
): TrialError {
  if (error !== null) {
    const { type, message, traceback, occurredAt } = error;
    return { type, message: message ?? `the trial was ended by ${type}`, traceback, occurredAt };
  }
  const rejected = Object.hasOwn(rejections, rewardKey) ? rejections[rewardKey] : undefined;
  const why = rejected === undefined ? "" : `: its value was rejected, ${rejected}`;
  return {
    type: "MissingReward",
    message: `the verifier gave no reward "${rewardKey}"${why}`,
    traceback: null,
    occurredAt: null,
  };
}

/** Faults of what Harbor runs agents in; its own list of those, as far as they end a trial before its agent could fail. */
const environmentErrors = new Set([
  "AgentSetupTimeoutError",
  "EnvironmentStartTimeoutError",
  "HealthcheckError",
  "SandboxBuildFailedError",
]);

function endingOf(
  error: HarborError | null,
  { reward }: Rewards,
): Pick<TrialAttempt, "cause" | "fault" | "errorType"> {
  if (error === null) {
    if (reward !== null) return { cause: "ended", fault: "none", errorType: null };
    return { cause: "ended", fault: "target", errorType: "MissingReward" };
  }
  const { type: errorType } = error;
  if (environmentErrors.has(errorType))
    return { cause: "infrastructure", fault: "infrastructure", errorType };
  return {
    cause: errorType === "AgentTimeoutError" ? "timeout" : "ended",
    fault: "target",
    errorType,
  };
}

function requestedModelOf({ fields }: HarborResult): string | null {
  const asked = at(fields, "config", "agent", "model_name");
  const known = at(fields, "agent_info", "model_info", "name");
  return [asked, known].find(isText) ?? null;
}

function agentFacts({ fields }: HarborResult): JsonObject {
  const name = at(fields, "agent_info", "name");
  const version = at(fields, "agent_info", "version");
  const checksum = at(fields, "task_checksum");
  return {
    ...(isText(name) ? { agent: name } : {}),
    ...(isText(version) ? { agent_version: version } : {}),
    ...(isText(checksum) ? { harbor_task_checksum: checksum } : {}),
  };
}

function traceMetadata({ format, problems }: TraceFacts): JsonObject {
  return {
    ...(format === null ? {} : { trace_format: format }),
    ...(problems.length === 0 ? {} : { trace_problems: [...problems] }),
  };
}
