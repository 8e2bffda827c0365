import type { EvalResult } from "../../entries/index.ts";
import { visibleLine } from "../../entries/index.ts";

/** A trial that did not end well, or a metric that could not measure one. */
export interface Failure {
  readonly kind: "trial" | "metric";
  readonly task_id: string;
  readonly trial_id: string;
  /** Status of the trial, or type of the metric. */
  readonly what: string;
  readonly type: string;
  readonly message: string | null;
}

export interface Failures {
  readonly shown: readonly Failure[];
  readonly count: number;
}

const shownFailures = 20;

/** Reads the rows once, one at a time. */
export async function collectFailures({
  trials,
  scores,
}: Pick<EvalResult, "trials" | "scores">): Promise<Failures> {
  const shown: Failure[] = [];
  let count = 0;
  const add = (failure: Failure) => {
    count += 1;
    if (shown.length < shownFailures) shown.push(failure);
  };
  for await (const { id, taskId, status, error } of trials) {
    if (status === "completed") continue;
    add({
      kind: "trial",
      task_id: taskId,
      trial_id: id,
      what: status,
      type: error?.type ?? "unknown",
      message: error?.message ?? null,
    });
  }
  for await (const { taskId, trialId, metricType, diagnostics } of scores) {
    const failure = diagnostics.find(({ details }) => "exception_type" in details);
    if (failure === undefined) continue;
    const type = String(failure.details["exception_type"]);
    add({
      kind: "metric",
      task_id: taskId,
      trial_id: trialId,
      what: metricType,
      type,
      message: failure.message,
    });
  }
  return { shown, count };
}

export function failureLines({ shown, count }: Failures): readonly string[] {
  if (count === 0) return [];
  const more = count - shown.length;
  return [
    "",
    `Failures: ${count}`,
    ...shown.map(failureLine),
    ...(more > 0 ? [`  and ${more} more: see trials.jsonl and scores.jsonl of the bundle`] : []),
  ];
}

function failureLine({ kind, trial_id, what, type, message }: Failure): string {
  const subject = kind === "trial" ? what : `metric ${what}`;
  const text = message === null ? "" : `: ${message.trim().split("\n")[0] ?? ""}`;
  return `  ${visibleLine(`${trial_id}  ${subject}  ${type}${text}`)}`;
}
