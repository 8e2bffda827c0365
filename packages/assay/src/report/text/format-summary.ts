import type { ScoreGlance, TrialGlance } from "../../bundle/row-glances.ts";
import type { ScoreRecord } from "../../schema/score.ts";
import type { Summary } from "../../schema/summary.ts";
import type { TaskRecord } from "../../schema/task.ts";
import type { TrialRecord, TrialStatus } from "../../schema/trial.ts";
import { compareText } from "../../support/natural-order.ts";
import { wrapText } from "../../support/terminal-text.ts";
import { aggregateLines } from "./aggregate-table.ts";
import { FailedTrials } from "./failed-trials.ts";
import { planOrderOf } from "./plan-order.ts";
import {
  errorLines,
  previewLines,
  readScores,
  type ScoreFacts,
  scoreStates,
} from "./score-sections.ts";
import { createTaskTable } from "./task-table.ts";

export interface SummarySource {
  /** In plan order. */
  readonly tasks: readonly Pick<TaskRecord, "id" | "metrics">[];
  /** Many at a time: to wait for each of a million rows costs more than to look at it. */
  readonly trialBatches: AsyncIterable<readonly (TrialRecord | TrialGlance)[]>;
  readonly scoreBatches: AsyncIterable<readonly ScoreRecord[]>;
  /** The same for a text without a preview. */
  readonly scoreGlances: AsyncIterable<readonly (ScoreRecord | ScoreGlance)[]>;
  readonly summary: Summary;
  readonly workDir: string | null;
}

export interface FormatSummaryOptions {
  /** Tasks, and scores of the preview, that are shown. Default 10. */
  readonly maxRows?: number;
  /** Failed scores that are detailed, and messages per kind of failed trial. Default: as many as `maxRows`. */
  readonly maxErrorRows?: number;
  /** Columns of the terminal that a line may take. Default 80. Only a path may be longer: it is never parted. */
  readonly width?: number;
  /** Whether the first scores are shown. Default true. */
  readonly hasPreview?: boolean;
}

/**
 * The run in words: how many trials ended how, aggregate scores, the worst tasks, failed trials, failed scores, the
 * first scores in plan order. Reads each row once and keeps only those that are shown. Control characters of agents are
 * written out.
 */
export async function formatSummary(
  source: SummarySource,
  {
    maxRows = 10,
    maxErrorRows = maxRows,
    width = 80,
    hasPreview = true,
  }: FormatSummaryOptions = {},
): Promise<string> {
  const { summary, tasks, workDir } = source;
  const order = planOrderOf(tasks);
  const rows = Math.max(maxRows, 0);
  const errors = Math.max(maxErrorRows, 0);
  const failedTrials = new FailedTrials(summary, order, errors);
  const taskTable = createTaskTable(tasks, order);
  const endings = new Map<TrialStatus, number>();
  let trialCount = 0;
  for await (const trials of source.trialBatches) {
    trialCount += trials.length;
    for (const trial of trials) {
      endings.set(trial.status, (endings.get(trial.status) ?? 0) + 1);
      if (trial.error !== null) failedTrials.add(trial);
      taskTable.add(trial);
    }
  }
  const scores = await readScores(source, order, { scores: hasPreview ? rows : 0, errors });
  const sections = [
    [
      headerLine(source, trialCount, scores),
      ...countLines("trial", endings, ["completed", "partial", "failed"]),
      ...(scores.failureCount === 0 ? [] : countLines("score", scores.byState, scoreStates)),
    ].flatMap((line) => wrapText(line, { width, next: "  " })),
    [
      "Aggregate scores",
      ...aggregateLines(summary.scores.scores, width),
      ...wrapText(failedNote(summary, endings.get("failed") ?? 0), { width, next: "  " }),
    ].filter((line) => line !== ""),
    taskTable.lines(summary, { rows, width }),
    failedTrials.lines({ trialCount, workDir, width }),
    errorLines(scores, { width, isTold: (message) => failedTrials.tells(message) }),
    hasPreview ? previewLines(scores, width) : [],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n");
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

/** A mean and a pass@k of one output are not over the same trials where some could not be produced. */
function failedNote({ scores }: Summary, failed: number): string {
  const hasPasses = scores.scores.some(({ name }) => /\.pass@\d+$/u.test(name));
  if (failed === 0 || !hasPasses) return "";
  return failed === 1
    ? "1 failed trial has no score: the mean leaves it out, pass@k counts it as not passed"
    : `${failed} failed trials have no score: the mean leaves them out, pass@k counts them as not passed`;
}

/** `14 trials: 13 completed, 1 partial`; nothing where there are none. */
function countLines<T extends string>(
  noun: string,
  counts: ReadonlyMap<T, number>,
  names: readonly T[],
): string[] {
  const present = names.filter((name) => counts.has(name));
  if (present.length === 0) return [];
  const total = present.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  const parts = present.map((name) => `${counts.get(name) ?? 0} ${name.replace("_", " ")}`);
  return [`${total} ${noun}${total === 1 ? "" : "s"}: ${parts.join(", ")}`];
}
