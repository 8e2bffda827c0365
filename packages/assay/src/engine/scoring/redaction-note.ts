import type { StoredTrialRows } from "../../bundle/write-door.ts";
import { redactedMark } from "../../provenance/redaction/secret.ts";
import type { Diagnostic, ScoreRecord } from "../../schema/score.ts";
import type { TaskRecord } from "../../schema/task.ts";
import { formatRow } from "../../support/json.ts";

/** How often the mark stands where a metric may have looked for the value. */
export interface Redactions {
  readonly trial: number;
  readonly task: number;
}

/** In what is stored of a trial, its evidence included: a later scoring finds the same. */
export function redactionsOfTrial({
  trials,
  evidence,
}: Pick<StoredTrialRows, "trials" | "evidence">): number {
  let count = 0;
  for (const row of trials) count += marksIn(row);
  for (const row of evidence) count += Number(/"redactions":(\d+)/.exec(row)?.[1] ?? 0);
  return count;
}

export function redactionsOfTask(task: TaskRecord): number {
  return marksIn(formatRow(task));
}

/** A score of data that lack a secret says so: two values that were different may look alike now. */
export function withRedactionNote(score: ScoreRecord, { trial, task }: Redactions): ScoreRecord {
  if (trial + task === 0) return score;
  const note: Diagnostic = {
    severity: "warning",
    message: `the metric saw ${redactedMark} instead of a secret: ${trial} times in the trial and its evidence, ${task} times in the task`,
    source: null,
    details: { redactions: { trial, task } },
  };
  return { ...score, diagnostics: [...score.diagnostics, note] };
}

function marksIn(row: string): number {
  let count = 0;
  for (let at = row.indexOf(redactedMark); at !== -1; at = row.indexOf(redactedMark, at + 1))
    count += 1;
  return count;
}
