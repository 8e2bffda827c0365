import type { ScoreRecord } from "../../schema/score.ts";
import type { Aggregate, Summary } from "../../schema/summary.ts";
import type { TaskRecord } from "../../schema/task.ts";
import type { TrialRecord } from "../../schema/trial.ts";
import { type ScoreState, scoreStateOf } from "../../statistics/score-state.ts";
import type { JsonValue } from "../../support/json.ts";
import { compareText } from "../../support/natural-order.ts";
import { visibleLine } from "../../support/visible-text.ts";
import { collectFailedTrials, maxMessage } from "./failed-trials.ts";
import { firstRows, type PlanOrder, planOrderOf } from "./plan-order.ts";
import { errorText } from "./records.ts";
import { cutText, type FlatRecord, formatNumber, formatTable } from "./table.ts";

export interface SummarySource {
  /** In plan order. */
  readonly tasks: readonly Pick<TaskRecord, "id" | "metrics">[];
  readonly trials: AsyncIterable<TrialRecord>;
  readonly scores: AsyncIterable<ScoreRecord>;
  readonly summary: Summary;
  readonly workDir: string | null;
}

export interface FormatSummaryOptions {
  /** Scores in the preview. Default 10. */
  readonly maxRows?: number;
  /** Failed scores that are detailed, and messages per kind of failed trial. Default: as many as `maxRows`. */
  readonly maxErrorRows?: number;
  /** Characters that tables may take. Default 80. */
  readonly width?: number;
}

/**
 * The run in words: counts, aggregate scores, the first scores in plan order, failed trials, failed scores.
 * Reads each row once and keeps only those that are shown. Control characters of agents are written out.
 */
export async function formatSummary(
  source: SummarySource,
  { maxRows = 10, maxErrorRows = maxRows, width = 80 }: FormatSummaryOptions = {},
): Promise<string> {
  const { summary, tasks, workDir } = source;
  const order = planOrderOf(tasks);
  const limits = { rows: Math.max(maxRows, 0), errors: Math.max(maxErrorRows, 0) };
  const failedTrials = collectFailedTrials(summary, order, limits.errors);
  let trialCount = 0;
  for await (const trial of source.trials) {
    trialCount += 1;
    failedTrials.add(trial);
  }
  const scores = await readScores(source.scores, order, limits);
  const sections = [
    [headerLine(source, trialCount, scores)],
    ["Aggregate scores", formatTable(summary.scores.scores.map(aggregateRow), width)],
    previewLines(scores, width),
    failedTrials.lines(trialCount, workDir),
    errorLines(scores),
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
}

/** What is kept of the scores: counts, and those that are shown. */
interface ScoreFacts {
  readonly count: number;
  readonly byStatus: ReadonlyMap<string, number>;
  readonly preview: readonly ScoreRecord[];
  readonly failures: readonly ScoreRecord[];
  readonly failureCount: number;
}

async function readScores(
  scores: AsyncIterable<ScoreRecord>,
  order: PlanOrder,
  limits: { readonly rows: number; readonly errors: number },
): Promise<ScoreFacts> {
  const byStatus = new Map<string, number>();
  const preview = firstRows(limits.rows, order.compareScores);
  const failures = firstRows(limits.errors, order.compareScores);
  let count = 0;
  let failureCount = 0;
  for await (const score of scores) {
    count += 1;
    byStatus.set(score.status, (byStatus.get(score.status) ?? 0) + 1);
    preview.add(score);
    if (score.status !== "failed") continue;
    failureCount += 1;
    failures.add(score);
  }
  return { count, byStatus, preview: preview.rows, failures: failures.rows, failureCount };
}

function headerLine({ tasks, summary }: SummarySource, trials: number, scores: ScoreFacts): string {
  const statuses = [...scores.byStatus].sort(([a], [b]) => compareText(a, b));
  const counts = [
    `tasks=${tasks.length}`,
    `trials=${trials}`,
    `scores=${scores.count}`,
    `aggregate_scores=${summary.scores.scores.length}`,
    ...statuses.map(([status, count]) => `${status}=${count}`),
    ...(summary.errorCount > 0 ? [`errors=${summary.errorCount}`] : []),
  ];
  return `AgentEvalResult(${counts.join(", ")})`;
}

function aggregateRow(aggregate: Aggregate): FlatRecord {
  const { name, count, nanCount, mean, min, max, scoreType } = aggregate;
  const row: Record<string, JsonValue> = { name, count, nan_count: nanCount, mean, min, max };
  row["score_type"] = scoreType;
  if (aggregate.scoreType === "range" && aggregate.percentiles !== null) {
    row["p50"] = aggregate.percentiles.p50;
  }
  if (aggregate.scoreType === "rubric") row["mode_category"] = aggregate.modeCategory;
  if (aggregate.scoreType === "scalar") row["value"] = aggregate.value;
  return row;
}

function previewLines({ count, preview }: ScoreFacts, width: number): string[] {
  if (count === 0) return [];
  const rows = preview.map((score) => ({
    task_id: score.taskId,
    trial_id: score.trialId,
    metric_type: score.metricType,
    status: score.status,
    outputs: score.outputs.map(({ name, value }) => `${name}=${shortValue(value)}`).join(", "),
  }));
  return [`Score preview (first ${preview.length} of ${count})`, formatTable(rows, width)];
}

function shortValue(value: JsonValue): string {
  if (typeof value === "string") return value;
  return typeof value === "number" ? formatNumber(value) : JSON.stringify(value);
}

function errorLines({ failures, failureCount }: ScoreFacts): string[] {
  if (failureCount === 0) return [];
  const omitted = failureCount - failures.length;
  return [
    `Error details (${failures.length} of ${failureCount} failed scores)`,
    ...failures.map(errorLine),
    ...(omitted > 0 ? [`... ${omitted} more failed scores omitted`] : []),
  ];
}

const kindOf: Record<ScoreState, string> = {
  measured: "failed metric",
  trial_failed: "failed trial",
  metric_failed: "failed metric",
  unscored: "unscored",
};

function errorLine(score: ScoreRecord): string {
  const { taskId, trialId, metricType, diagnostics } = score;
  const state = scoreStateOf(score);
  const warnings = diagnostics.map(({ message }) => message).join("; ");
  const message = state === "unscored" ? warnings : errorText(score);
  const place = [taskId, trialId, metricType].map(visibleLine).join(" / ");
  const shown =
    message === "" ? "no error was recorded" : cutText(visibleLine(message), maxMessage);
  return `[${place}] ${kindOf[state]}: ${shown}`;
}
