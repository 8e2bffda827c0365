import type { Clock, Logger } from "../../contracts/clock.ts";
import type { Evidence } from "../../contracts/evidence.ts";
import type { FileStore } from "../../contracts/files.ts";
import type {
  Candidate,
  Metric,
  MetricInput,
  MetricNeed,
  MetricResult,
} from "../../contracts/metric.ts";
import { AssayError, messageOf } from "../../errors/assay-error.ts";
import { coerceResult } from "../../metrics/define/coerce-result.ts";
import { toWire } from "../../schema/codec.ts";
import type { TaskRecord } from "../../schema/task.ts";
import { trialErrorSchema } from "../../schema/trial.ts";
import type { JsonObject } from "../../support/json.ts";
import {
  failedMetricScore,
  failedTrialScore,
  outputsScore,
  type Score,
  type ScorePlace,
} from "./score-record.ts";

export interface ScoringTools {
  readonly clock: Clock;
  readonly log: Logger;
  readonly files: FileStore;
  readonly baseDir: string;
  /** Aborted when the run is cancelled. */
  readonly signal: AbortSignal;
  readonly evidenceOf: (trial: ScorePlace["trial"]) => Evidence;
  readonly defaultTimeoutMs: number;
}

/** Scores one trial with one metric. Null when the run was cancelled: resume computes it. */
export async function scoreTrial(
  place: ScorePlace,
  task: TaskRecord,
  tools: ScoringTools,
): Promise<Score | null> {
  const { trial, metric } = place;
  if (trial.status === "failed") return failedTrialScore(place);
  const input = metricInput(place, task, tools.evidenceOf(trial));
  const lacking =
    trial.status === "partial"
      ? metric.needs.filter((need) => !isPresent(need, input.candidate))
      : [];
  if (lacking.length > 0) return absentScore(place, lacking);
  for (let tries = 0; ; tries += 1) {
    try {
      const result = await withTimeLimit(metric, input, tools);
      const { outputs, unscored } = coerceResult(metric, result);
      return outputsScore(place, { outputs, unscored, diagnostics: result.diagnostics ?? [] });
    } catch (thrown) {
      if (tools.signal.aborted) return null;
      if (trial.status === "partial" && isInputAbsent(thrown))
        return absentScore(place, [messageOf(thrown)]);
      if (tries >= (metric.retries ?? 0)) return failedMetricScore(place, describeFailure(thrown));
    }
  }
}

/** A trial that did not end well stays in the denominator: a missing input gives the declared value. */
function absentScore(place: ScorePlace, lacking: readonly string[]): Score {
  const specs = place.metric.outputs;
  return outputsScore(place, {
    outputs: specs
      .filter(({ absent }) => absent !== "unscored")
      .map(({ name, absent }) => ({ name, value: absent })),
    unscored: specs
      .filter(({ absent }) => absent === "unscored")
      .map(({ name }) => ({ name, reason: "INPUT_ABSENT" })),
    diagnostics: [
      {
        severity: "warning",
        message: `the trial did not end well and lacks ${lacking.join(", ")}: the declared value for that was taken`,
        details: { input_absent: [...lacking] },
      },
    ],
  });
}

function isPresent(need: MetricNeed, candidate: Candidate): boolean {
  switch (need) {
    case "text":
      return candidate.outputText !== null;
    case "response":
      return candidate.response !== null;
    case "reward":
      return typeof candidate.metadata["reward"] === "number";
    case "evidence":
      return candidate.evidence.names().length > 0;
  }
}

function metricInput(
  { trial, rowIndex }: ScorePlace,
  task: TaskRecord,
  evidence: Evidence,
): MetricInput {
  return {
    row: {
      rowIndex,
      task: { id: task.id, intent: task.intent, metadata: task.metadata },
      inputs: task.inputs,
      reference: task.reference,
      trial: {
        id: trial.id,
        taskId: trial.taskId,
        status: trial.status === "completed" ? "completed" : "partial",
        error: trial.error === null ? null : (toWire(trialErrorSchema, trial.error) as JsonObject),
        metadata: trial.metadata,
      },
    },
    candidate: {
      outputText: trial.output?.outputText ?? null,
      response: trial.output?.response ?? null,
      metadata: { ...trial.metadata, ...trial.output?.metadata },
      evidence,
    },
  };
}

async function withTimeLimit(
  metric: Metric,
  input: MetricInput,
  tools: ScoringTools,
): Promise<MetricResult> {
  const limitMs = metric.timeoutMs ?? tools.defaultTimeoutMs;
  const own = new AbortController();
  const isDone = new AbortController();
  const cancel = () => own.abort(tools.signal.reason);
  if (tools.signal.aborted) cancel();
  tools.signal.addEventListener("abort", cancel, { once: true });
  tools.clock.sleep(limitMs, isDone.signal).then(
    () => own.abort(new MetricTimeout(metric.type, limitMs)),
    () => {
      // The metric was faster.
    },
  );
  const stopped = new Promise<never>((_resolve, reject) => {
    own.signal.addEventListener("abort", () => reject(own.signal.reason), { once: true });
  });
  const { clock, log, files, baseDir } = tools;
  try {
    return await Promise.race([
      stopped,
      metric.compute(input, { signal: own.signal, clock, log, files, baseDir }),
    ]);
  } finally {
    isDone.abort();
    tools.signal.removeEventListener("abort", cancel);
  }
}

class MetricTimeout extends Error {
  override readonly name = "TimeoutError";
  constructor(type: string, limitMs: number) {
    super(`metric "${type}" did not end within ${limitMs / 1000} s`);
  }
}

function isInputAbsent(thrown: unknown): boolean {
  return AssayError.isInstance(thrown) && thrown.data["isInputAbsent"] === true;
}

function describeFailure(thrown: unknown): {
  readonly message: string;
  readonly exceptionType: string;
} {
  const exceptionType = AssayError.isInstance(thrown)
    ? thrown.code
    : thrown instanceof Error
      ? thrown.name || thrown.constructor.name
      : "UnknownException";
  return { message: messageOf(thrown), exceptionType };
}
