import type { Metric, MetricDiagnostic } from "../../contracts/metric.ts";
import type { Diagnostic, ScoreOutput, ScoreRecord } from "../../schema/score.ts";
import type { TrialRecord } from "../../schema/trial.ts";

/** Which score this is: one metric of one trial of one run. */
export interface ScorePlace {
  readonly runId: string;
  readonly rowIndex: number;
  readonly trial: TrialRecord;
  readonly metric: Metric;
}

export interface UnscoredOutput {
  readonly name: string;
  readonly reason: string;
}

export type ScoreState = "scored" | "unscored" | "failed";

export interface Score {
  readonly state: ScoreState;
  readonly record: ScoreRecord;
}

/** A trial that could not be produced: charged to the agent, metric not called. */
export function failedTrialScore(place: ScorePlace): Score {
  const { trial, metric } = place;
  const message = trial.error?.message ?? "the trial could not be produced";
  const diagnostic: Diagnostic = {
    severity: "error",
    message,
    source: metric.type,
    details: { trial_status: "failed" },
  };
  return { state: "failed", record: record(place, "failed", [], [diagnostic]) };
}

/** A metric that failed: not measured, not charged to the agent. */
export function failedMetricScore(
  place: ScorePlace,
  failure: { readonly message: string; readonly exceptionType: string },
): Score {
  const { message, exceptionType } = failure;
  const diagnostic: Diagnostic = {
    severity: "error",
    message,
    source: place.metric.type,
    details: { exception_type: exceptionType },
  };
  return { state: "failed", record: record(place, "failed", [], [diagnostic]) };
}

export function outputsScore(
  place: ScorePlace,
  result: {
    readonly outputs: readonly ScoreOutput[];
    readonly unscored: readonly UnscoredOutput[];
    readonly diagnostics: readonly MetricDiagnostic[];
  },
): Score {
  const { type } = place.metric;
  const said = result.diagnostics.map(
    ({ message, severity = "info", details = {} }): Diagnostic => ({
      severity,
      message,
      source: type,
      details,
    }),
  );
  const left = result.unscored.map(
    ({ name, reason }): Diagnostic => ({
      severity: "warning",
      message: `output "${name}" is not scored: ${reason}`,
      source: type,
      details: { unscored_reason: reason, output: name },
    }),
  );
  if (result.outputs.length === 0) {
    return { state: "unscored", record: record(place, "failed", [], [...left, ...said]) };
  }
  return {
    state: "scored",
    record: record(place, "completed", result.outputs, [...said, ...left]),
  };
}

function record(
  { runId, rowIndex, trial, metric }: ScorePlace,
  status: ScoreRecord["status"],
  outputs: readonly ScoreOutput[],
  diagnostics: readonly Diagnostic[],
): ScoreRecord {
  return {
    id: `${runId}:${trial.taskId}:${trial.id}:${metric.type}`,
    runId,
    taskId: trial.taskId,
    trialId: trial.id,
    metricType: metric.type,
    status,
    outputs: [...outputs],
    diagnostics: [...diagnostics],
    metadata: { row_index: rowIndex, trial_metadata: trial.metadata },
  };
}
