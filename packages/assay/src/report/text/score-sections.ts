import type { ScoreGlance } from "../../bundle/row-glances.ts";
import type { ScoreRecord } from "../../schema/score.ts";
import { type ScoreState, scoreStateOf } from "../../statistics/score-state.ts";
import type { JsonValue } from "../../support/json.ts";
import { wrapText } from "../../support/terminal-text.ts";
import { visibleLine } from "../../support/visible-text.ts";
import { andMore, byMessage, shownMessage } from "./equal-messages.ts";
import { firstRows, type PlanOrder } from "./plan-order.ts";
import { errorText } from "./records.ts";
import { formatNumber, formatTable } from "./table.ts";

export const scoreStates = ["measured", "unscored", "metric_failed", "trial_failed"] as const;

/** What is kept of the scores: counts, and those that are shown. */
export interface ScoreFacts {
  readonly count: number;
  readonly byStatus: ReadonlyMap<string, number>;
  readonly byState: ReadonlyMap<ScoreState, number>;
  readonly preview: readonly ScoreRecord[];
  readonly failures: readonly ScoreRecord[];
  readonly failureCount: number;
}

interface ScoreSource {
  readonly scoreBatches: AsyncIterable<readonly ScoreRecord[]>;
  readonly scoreGlances: AsyncIterable<readonly (ScoreRecord | ScoreGlance)[]>;
}

export async function readScores(
  { scoreBatches, scoreGlances }: ScoreSource,
  order: PlanOrder,
  limits: { readonly scores: number; readonly errors: number },
): Promise<ScoreFacts> {
  const byStatus = new Map<string, number>();
  const byState = new Map<ScoreState, number>();
  const preview = firstRows(limits.scores, order.compareScores);
  const failures = firstRows(limits.errors, byTrialFailure(order));
  let count = 0;
  const add = (score: ScoreRecord | ScoreGlance) => {
    const state = score.status === "completed" ? "measured" : scoreStateOf(score);
    byStatus.set(score.status, (byStatus.get(score.status) ?? 0) + 1);
    byState.set(state, (byState.get(state) ?? 0) + 1);
    if (score.status === "failed") failures.add(score);
    count += 1;
  };
  if (limits.scores === 0) for await (const scores of scoreGlances) scores.forEach(add);
  else
    for await (const scores of scoreBatches)
      for (const score of scores) {
        add(score);
        preview.add(score);
      }
  const failureCount = byStatus.get("failed") ?? 0;
  return { count, byStatus, byState, preview: preview.rows, failures: failures.rows, failureCount };
}

/** What failed trials left unscored comes last: the trials themselves have told it. */
function byTrialFailure({ compareScores }: PlanOrder): PlanOrder["compareScores"] {
  const rank = (score: ScoreRecord) => Number(scoreStateOf(score) === "trial_failed");
  return (a, b) => rank(a) - rank(b) || compareScores(a, b);
}

/** The task has a column of its own only where a trial's id does not begin with it. */
export function previewLines({ count, preview }: ScoreFacts, width: number): string[] {
  if (count === 0) return [];
  const hasStatus = preview.some(({ status }) => status !== "completed");
  const hasTask = preview.some(({ taskId, trialId }) => !trialId.startsWith(taskId));
  const rows = preview.map((score) => ({
    trial_id: score.trialId,
    ...(hasTask ? { task_id: score.taskId } : {}),
    metric_type: score.metricType,
    ...(hasStatus ? { status: score.status } : {}),
    outputs: score.outputs.map((output) => outputText(output, score.metricType)).join(", "),
  }));
  return [`Score preview (first ${preview.length} of ${count})`, formatTable(rows, width)];
}

function outputText({ name, value }: ScoreRecord["outputs"][number], metricType: string): string {
  return name === metricType ? valueText(value) : `${name}=${valueText(value)}`;
}

function valueText(value: JsonValue): string {
  if (typeof value === "string") return value;
  return typeof value === "number" ? formatNumber(value) : JSON.stringify(value);
}

/** `isTold` says that failed trials have told a message: their scores do not repeat it. */
export function errorLines(
  { failures, failureCount }: ScoreFacts,
  { width, isTold }: { readonly width: number; isTold(message: string): boolean },
): string[] {
  if (failureCount === 0) return [];
  const omitted = failureCount - failures.length;
  const wordsOf = (score: ScoreRecord) => {
    const state = scoreStateOf(score);
    const message = messageOf(score);
    const isRepeated = state === "trial_failed" && isTold(message);
    return `${stateNames[state]}: ${isRepeated ? "as told above" : message || "no error was recorded"}`;
  };
  return [
    `Error details (${failures.length} of ${failureCount} failed scores)`,
    ...byMessage(failures, wordsOf).flatMap((group) =>
      wrapText(`${placeOf(group)} ${wordsOf(group[0])}`, { width, next: "  " }),
    ),
    ...(omitted > 0 ? [`... ${omitted} more failed scores omitted`] : []),
  ];
}

const stateNames: Record<ScoreState, string> = {
  measured: "measured",
  trial_failed: "failed trial",
  metric_failed: "failed metric",
  unscored: "unscored",
};

function placeOf(group: readonly [ScoreRecord, ...ScoreRecord[]]): string {
  const [{ taskId, trialId, metricType }] = group;
  const more = andMore(group.length);
  return `[${[taskId, trialId, metricType].map(visibleLine).join(" / ")}]${more === "" ? "" : `${more},`}`;
}

function messageOf(score: ScoreRecord): string {
  const warnings = score.diagnostics.map(({ message }) => message).join("; ");
  return shownMessage(scoreStateOf(score) === "unscored" ? warnings : errorText(score));
}
