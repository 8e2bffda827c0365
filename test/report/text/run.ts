import { createSummaryAccumulator } from "../../../packages/assay/src/engine/summarise/accumulator.ts";
import type { SummarySource } from "../../../packages/assay/src/report/text/format-summary.ts";
import type { RecordSource } from "../../../packages/assay/src/report/text/records.ts";
import { type ScoreRecord, scoreRecordSchema } from "../../../packages/assay/src/schema/score.ts";
import { type TaskRecord, taskRecordSchema } from "../../../packages/assay/src/schema/task.ts";
import { type TrialRecord, trialRecordSchema } from "../../../packages/assay/src/schema/trial.ts";
import type { JsonObject, JsonValue } from "../../../packages/assay/src/support/json.ts";

interface MetricParts {
  readonly type: string;
  /** Value schemas by name. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** A metric given by its type alone has one continuous output, `out`. */
export function taskOf(id: string, ...metrics: (string | MetricParts)[]): TaskRecord {
  return taskRecordSchema.parse({
    id,
    intent: "",
    inputs: {},
    metrics: metrics.map((metric) => {
      const { type, outputs } =
        typeof metric === "string" ? { type: metric, outputs: { out: "ContinuousScore" } } : metric;
      return {
        type,
        outputs: Object.entries(outputs).map(([name, valueSchema]) => ({ name, valueSchema })),
      };
    }),
  });
}

export function trialOf(
  taskId: string,
  id: string,
  error?: [type: string, message: string | null],
): TrialRecord {
  return trialRecordSchema.parse({
    id,
    taskId,
    status: error === undefined ? "completed" : "partial",
    output: { outputText: "done" },
    error: error === undefined ? null : { type: error[0], message: error[1] },
  });
}

interface ScoreParts {
  /** Of the output `out`. */
  readonly value?: JsonValue;
  /** Values of outputs by name. */
  readonly values?: Readonly<Record<string, JsonValue>>;
  readonly error?: string;
  readonly details?: JsonObject;
  readonly metadata?: JsonObject;
}

export function scoreOf(
  taskId: string,
  trialId: string,
  metricType: string,
  parts: ScoreParts,
): ScoreRecord {
  const { value, error, details, metadata, values } = parts;
  const outputs = values ?? (value === undefined ? {} : { out: value });
  const isUnscored = details?.["unscored_reason"] !== undefined;
  const severity = isUnscored ? "warning" : "error";
  return scoreRecordSchema.parse({
    id: `R:${taskId}:${trialId}:${metricType}`,
    runId: "R",
    taskId,
    trialId,
    metricType,
    status: details === undefined ? "completed" : "failed",
    outputs: Object.entries(outputs).map(([name, output]) => ({ name, value: output })),
    diagnostics:
      error === undefined && details === undefined
        ? []
        : [{ severity, message: error ?? "", source: metricType, details: details ?? {} }],
    metadata: metadata ?? {},
  });
}

async function* stream<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows;
}

/** Batches may be of any size, and empty. */
function halves<T>(rows: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.floor(rows.length / 2);
  return [rows.slice(0, middle), [], rows.slice(middle)];
}

export function runOf(
  tasks: readonly TaskRecord[],
  trials: readonly TrialRecord[],
  scores: readonly ScoreRecord[],
  workDir: string | null = null,
): SummarySource & RecordSource {
  const accumulator = createSummaryAccumulator(tasks, () => null);
  for (const trial of trials) accumulator.addTrial(trial);
  for (const score of scores) accumulator.addScore(score);
  const summary = accumulator.finish([]);
  const batches = {
    trialBatches: stream(halves(trials)),
    scoreBatches: stream(halves(scores)),
    scoreGlances: stream(halves(scores)),
  };
  return { tasks, scores: stream(scores), ...batches, summary, workDir };
}
