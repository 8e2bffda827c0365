import type { BundleReader } from "../../bundle/read-bundle.ts";
import { formatRow } from "../../support/json.ts";
import { redactionsOfTrial } from "../scoring/redaction-note.ts";
import type { TrialToScore } from "../scoring/scoring-desk.ts";
import type { EarlierStarts } from "../session.ts";

/** Trials that stay and lack scores, as they lie on disk. */
export async function* unscoredTrials(
  reader: BundleReader,
  { recovery: { book, order }, retryFailed }: EarlierStarts,
): AsyncGenerator<TrialToScore> {
  const inEvidence = await redactionsInEvidence(reader);
  for await (const trial of reader.trials()) {
    const place = book.placeOf(trial.taskId, order(trial.taskId, trial.id));
    if (place === null || book.isOpen(place, retryFailed)) continue;
    const metricIndexes = book.openMetrics(place, retryFailed);
    if (metricIndexes.length === 0) continue;
    const row = formatRow(trial);
    const redactionCount =
      redactionsOfTrial({ trials: [row], evidence: [] }) +
      (inEvidence.get(formatRow([trial.taskId, trial.id])) ?? 0);
    const trialBytes = row.length;
    yield { trial, taskIndex: book.taskIndexOf(place), trialBytes, redactionCount, metricIndexes };
  }
}

/** Of trials whose evidence lost anything. */
async function redactionsInEvidence(reader: BundleReader): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for await (const { taskId, trialId, redactions } of reader.evidenceFiles()) {
    if (redactions === 0) continue;
    const key = formatRow([taskId, trialId]);
    counts.set(key, (counts.get(key) ?? 0) + redactions);
  }
  return counts;
}

/** Whether a trial of an earlier start has the id, and is another one of its task. */
export function hasOtherTrial(
  earlier: EarlierStarts | null,
  {
    taskId,
    id,
    trialIndex,
  }: { readonly taskId: string; readonly id: string; readonly trialIndex: number },
): boolean {
  if (earlier === null) return false;
  const { book, order } = earlier.recovery;
  const index = order(taskId, id);
  const place = book.placeOf(taskId, index);
  return place !== null && index !== trialIndex && book.hasTrial(place);
}
