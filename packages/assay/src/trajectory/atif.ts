import type {
  Trajectory,
  TrajectoryGap,
  TrajectoryStep,
  TrajectoryUsage,
} from "../contracts/trajectory.ts";
import { AssayError } from "../errors/assay-error.ts";
import { type AtifStep, type AtifTrajectory, atifTrajectorySchema } from "../schema/atif.ts";
import { fromWire } from "../schema/codec.ts";
import { isPlainObject, type JsonValue } from "../support/json.ts";
import { stringLeaves } from "./string-leaves.ts";
import { finished, maxTrajectorySteps } from "./view.ts";

/** The view of a document in the Agent Trajectory Interchange Format. */
export function readAtif(document: unknown, source: string): Trajectory {
  const given = isPlainObject(document) ? document["steps"] : undefined;
  if (Array.isArray(given) && given.length > maxTrajectorySteps) {
    throw new AssayError(
      "ASSAY_TRAJECTORY_INVALID",
      `${source}: it has ${given.length} steps, and may have ${maxTrajectorySteps}`,
      { data: { source } },
    );
  }
  const code = "ASSAY_TRAJECTORY_INVALID";
  const atif = fromWire(atifTrajectorySchema, document, { source, code });
  const steps = atif.steps.map(viewOf);
  const { name = null, version = null, modelName = null } = atif.agent ?? {};
  return finished({
    format: "atif",
    schemaVersion: atif.schemaVersion,
    sessionId: atif.sessionId,
    trajectoryId: atif.trajectoryId,
    agent: { name, version, modelName },
    steps,
    finalMessage: steps.findLast((step) => step.source === "agent")?.message ?? null,
    usage: usageOf(atif),
    gaps: gapsOf(document, atif),
    texts: () => textsOf(steps),
  });
}

function viewOf(step: AtifStep, index: number): TrajectoryStep {
  return {
    stepId: step.stepId ?? index + 1,
    timestamp: step.timestamp,
    source: step.source,
    message: messageText(step.message),
    reasoning: step.reasoningContent,
    modelName: step.modelName,
    toolCalls: (step.toolCalls ?? []).map(({ toolCallId, functionName, arguments: given }) => ({
      id: toolCallId,
      name: functionName,
      arguments: given,
    })),
    observations: (step.observation?.results ?? []).map((result) => ({
      callId: result.sourceCallId ?? earlierCall(result.extra),
      content: result.content,
    })),
    usage: stepUsage(step),
    isCopiedContext: step.isCopiedContext ?? false,
  };
}

/** The format has no name for a call of an earlier step; what Assay writes has it here. */
function earlierCall(extra: JsonValue): string | null {
  const id = isPlainObject(extra) ? extra["call_id"] : null;
  return typeof id === "string" ? id : null;
}

function messageText(message: AtifStep["message"]): string {
  if (message === null || typeof message === "string") return message ?? "";
  return message.flatMap(({ text }) => (text === null ? [] : [text])).join("\n");
}

function stepUsage({ metrics }: AtifStep): TrajectoryUsage | null {
  if (metrics === null) return null;
  const { promptTokens, completionTokens, cachedTokens, costUsd } = metrics;
  return { promptTokens, completionTokens, cachedTokens, costUsd };
}

/** What the document says of the whole, and where it says nothing the sum over its steps. Costs are not summed. */
function usageOf({ finalMetrics, steps }: AtifTrajectory): TrajectoryUsage {
  const sumOf = (field: "promptTokens" | "completionTokens" | "cachedTokens") =>
    steps.reduce<number | null>((sum, { metrics }) => {
      const value = metrics?.[field] ?? null;
      return value === null ? sum : (sum ?? 0) + value;
    }, null);
  // No agent works without a token: a sum of 0 says that nobody counted.
  return {
    promptTokens: finalMetrics?.totalPromptTokens ?? (sumOf("promptTokens") || null),
    completionTokens: finalMetrics?.totalCompletionTokens ?? (sumOf("completionTokens") || null),
    cachedTokens: finalMetrics?.totalCachedTokens ?? sumOf("cachedTokens"),
    costUsd: finalMetrics?.totalCostUsd ?? null,
  };
}

const totals = {
  total_prompt_tokens: "promptTokens",
  total_completion_tokens: "completionTokens",
  total_cached_tokens: "cachedTokens",
  total_cost_usd: "costUsd",
} as const;

/** What the document itself says that it lacks, and what stands in it and cannot be used. */
function gapsOf(document: unknown, atif: AtifTrajectory): TrajectoryGap[] {
  const gaps: TrajectoryGap[] = [];
  const given = isPlainObject(document) ? document : {};
  const dropped = isPlainObject(atif.extra) ? atif.extra["dropped_steps"] : null;
  if (typeof dropped === "number" && dropped > 0)
    gaps.push({ field: "steps", reason: "left_out", detail: `${dropped} steps did not fit in` });
  const { continuedTrajectoryRef } = atif;
  if (continuedTrajectoryRef !== null) {
    const detail = `it goes on in ${JSON.stringify(continuedTrajectoryRef)}`;
    gaps.push({ field: "steps", reason: "elsewhere", detail });
  }
  const others = given["subagent_trajectories"];
  if (Array.isArray(others) && others.length > 0) {
    const detail = `${others.length} trajectories of other agents are embedded in it`;
    gaps.push({ field: "steps", reason: "elsewhere", detail });
  }
  return [...gaps, ...unusableTotals(given["final_metrics"], atif)];
}

function unusableTotals(said: unknown, { finalMetrics }: AtifTrajectory): TrajectoryGap[] {
  if (said === undefined || said === null) return [];
  const reason = "not_usable" as const;
  if (!isPlainObject(said) || finalMetrics === null)
    return [{ field: "usage", reason, detail: "final_metrics is no object" }];
  const read = {
    promptTokens: finalMetrics.totalPromptTokens,
    completionTokens: finalMetrics.totalCompletionTokens,
    cachedTokens: finalMetrics.totalCachedTokens,
    costUsd: finalMetrics.totalCostUsd,
  };
  return Object.entries(totals).flatMap(([name, field]) => {
    const isUsable = read[field] !== null || said[name] === undefined || said[name] === null;
    const detail = `final_metrics.${name} is no such number`;
    return isUsable ? [] : [{ field: `usage.${field}`, reason, detail }];
  });
}

function* textsOf(steps: readonly TrajectoryStep[]): Generator<string> {
  for (const { message, reasoning, toolCalls, observations } of steps) {
    yield message;
    if (reasoning !== null) yield reasoning;
    for (const call of toolCalls) {
      yield call.name;
      yield* stringLeaves(call.arguments);
    }
    for (const { content } of observations) yield* stringLeaves(content);
  }
}
