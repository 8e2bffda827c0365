import type { EvalResult } from "../../entries/index.ts";

/** A trial that did not end well, or a metric that could not measure one. */
interface Failure {
  readonly kind: "trial" | "metric";
  readonly task_id: string;
  readonly trial_id: string;
  /** Status of the trial, or type of the metric. */
  readonly what: string;
  readonly type: string;
  readonly message: string | null;
}

interface Failures {
  readonly shown: readonly Failure[];
  readonly count: number;
}

const shownFailures = 20;

/** The first failures and their number, for machines. Rows are read only where the summary says that there are some. */
export async function collectFailures({ trials, scores, summary }: Rows): Promise<Failures> {
  const failedTrials = summary.errorCount === 0 ? noFailures : await collect(trials, trialFailure);
  const coverages = Object.values(summary.metricCoverage).flatMap((outputs) =>
    Object.values(outputs),
  );
  const hasFailedScores = coverages.some(({ failed }) => failed > 0);
  const failedScores = hasFailedScores ? await collect(scores, scoreFailure) : noFailures;
  return {
    shown: [...failedTrials.shown, ...failedScores.shown],
    count: failedTrials.count + failedScores.count,
  };
}

type Rows = Pick<EvalResult, "trials" | "scores" | "summary">;
type RowOf<K extends "trials" | "scores"> = Rows[K] extends AsyncIterable<infer T> ? T : never;

const noFailures: Failures = { shown: [], count: 0 };

async function collect<T>(
  rows: AsyncIterable<T>,
  failureOf: (row: T) => Failure | null,
): Promise<Failures> {
  const shown: Failure[] = [];
  let count = 0;
  for await (const row of rows) {
    const failure = failureOf(row);
    if (failure === null) continue;
    count += 1;
    if (shown.length < shownFailures) shown.push(failure);
  }
  return { shown, count };
}

function trialFailure({ id, taskId, status, error }: RowOf<"trials">): Failure | null {
  if (status === "completed") return null;
  const { type = "unknown", message = null } = error ?? {};
  return { kind: "trial", task_id: taskId, trial_id: id, what: status, type, message };
}

function scoreFailure({
  taskId,
  trialId,
  metricType,
  diagnostics,
}: RowOf<"scores">): Failure | null {
  const failure = diagnostics.find(({ details }) => "exception_type" in details);
  if (failure === undefined) return null;
  const type = String(failure.details["exception_type"]);
  return {
    kind: "metric",
    task_id: taskId,
    trial_id: trialId,
    what: metricType,
    type,
    message: failure.message,
  };
}
