import type { AttemptRecord } from "../../schema/attempt.ts";

/** Position of a trial in its task, as planned; null when the ledger does not say. */
export type TrialOrder = (taskId: string, trialId: string) => number | null;

/** Reads the order from the ledger. */
export async function trialOrderOf(attempts: AsyncIterable<AttemptRecord>): Promise<TrialOrder> {
  const byTask = new Map<string, Map<string, number>>();
  for await (const { taskId, trialId, trialIndex } of attempts) {
    const byId = byTask.get(taskId) ?? new Map<string, number>();
    byTask.set(taskId, byId);
    byId.set(trialId, trialIndex);
  }
  return (taskId, trialId) => byTask.get(taskId)?.get(trialId) ?? null;
}
