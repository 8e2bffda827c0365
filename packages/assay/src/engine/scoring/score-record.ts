import type { Metric, MetricDiagnostic } from "../../contracts/metric.ts";
import { AssayError } from "../../errors/assay-error.ts";
import type { Diagnostic, ScoreOutput, ScoreRecord } from "../../schema/score.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { copyPlain, describeKind, isPlainObject, whyNotJson } from "../../support/json.ts";

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

export interface Score {
  readonly state: "scored" | "unscored" | "failed";
  /** Not measured, and not charged to the agent. */
  readonly hasMetricFailed: boolean;
  readonly record: ScoreRecord;
}

/** A trial that could not be produced: metric not called. */
export function failedTrialScore(place: ScorePlace): Score {
  const { trial, metric } = place;
  const diagnostic: Diagnostic = {
    severity: "error",
    message: trial.error?.message ?? "the trial could not be produced",
    source: metric.type,
    details: { trial_status: "failed" },
  };
  const record = scoreRecord(place, { status: "failed", outputs: [], diagnostics: [diagnostic] });
  return { state: "failed", hasMetricFailed: false, record };
}

/** A metric that failed: not measured, not charged to the agent. */
export function failedMetricScore(
  place: ScorePlace,
  failure: { readonly message: string; readonly exceptionType: string },
): Score {
  const diagnostic: Diagnostic = {
    severity: "error",
    message: failure.message,
    source: place.metric.type,
    details: { exception_type: failure.exceptionType },
  };
  const record = scoreRecord(place, { status: "failed", outputs: [], diagnostics: [diagnostic] });
  return { state: "failed", hasMetricFailed: true, record };
}

/** A metric whose outputs are too large to be stored has failed. */
export function scoreAsStored(score: Score, record: ScoreRecord): Score {
  if (record === score.record) return score;
  if (record.status === score.record.status) return { ...score, record };
  return { state: "failed", hasMetricFailed: true, record };
}

/** Throws `ASSAY_METRIC_FAILED` for diagnostics that cannot be stored. */
export function outputsScore(
  place: ScorePlace,
  result: {
    readonly outputs: ScoreOutput[];
    readonly unscored: readonly UnscoredOutput[];
    readonly diagnostics: unknown;
  },
): Score {
  const { outputs } = result;
  const { type } = place.metric;
  const said = diagnosticsOf(type, result.diagnostics);
  const left = result.unscored.map((output) => unscoredDiagnostic(type, output));
  const isScored = outputs.length > 0;
  const record = scoreRecord(place, {
    status: isScored ? "completed" : "failed",
    outputs,
    diagnostics: left.length === 0 ? said : [...left, ...said],
  });
  return { state: isScored ? "scored" : "unscored", hasMetricFailed: false, record };
}

function unscoredDiagnostic(source: string, { name, reason }: UnscoredOutput): Diagnostic {
  return {
    severity: "warning",
    message: `output "${name}" is not scored: ${reason}`,
    source,
    details: { unscored_reason: reason, output: name },
  };
}

const severities: readonly unknown[] = ["error", "warning", "info"];

/** What a metric says beside its outputs: copied and checked here, for one that cannot be stored would cost the whole run. */
function diagnosticsOf(source: string, given: unknown): Diagnostic[] {
  if (given === undefined) return [];
  const copy: unknown = copyPlain(given);
  if (!Array.isArray(copy))
    throw wrongDiagnostics(source, `gave ${describeKind(given)} as its diagnostics`);
  return copy.map((diagnostic: unknown): Diagnostic => {
    const {
      message,
      severity = "info",
      details = {},
    } = (isPlainObject(diagnostic) ? diagnostic : {}) as Partial<MetricDiagnostic>;
    if (typeof message !== "string" || !severities.includes(severity) || !isPlainObject(details))
      throw wrongDiagnostics(
        source,
        "gave a diagnostic that is no { message, severity?, details? }",
      );
    const problem = whyNotJson(details);
    if (problem !== null)
      throw wrongDiagnostics(
        source,
        `gave a diagnostic whose details are no JSON data: ${problem}`,
      );
    return { severity, message, source, details };
  });
}

function wrongDiagnostics(type: string, what: string): AssayError {
  return new AssayError("ASSAY_METRIC_FAILED", `metric "${type}" ${what}`, {
    data: { metric: type },
  });
}

function scoreRecord(
  { runId, rowIndex, trial, metric }: ScorePlace,
  said: {
    readonly status: ScoreRecord["status"];
    readonly outputs: ScoreOutput[];
    readonly diagnostics: Diagnostic[];
  },
): ScoreRecord {
  return {
    id: `${runId}:${trial.taskId}:${trial.id}:${metric.type}`,
    runId,
    taskId: trial.taskId,
    trialId: trial.id,
    metricType: metric.type,
    status: said.status,
    outputs: said.outputs,
    diagnostics: said.diagnostics,
    metadata: { row_index: rowIndex, trial_metadata: trial.metadata },
  };
}
