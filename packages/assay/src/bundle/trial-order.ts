import type { AttemptRecord } from "../schema/attempt.ts";

/** Position of a trial in its task, as planned; null when the ledger does not say. */
export type TrialOrder = (taskId: string, trialId: string) => number | null;

type LedgerRow = Pick<AttemptRecord, "taskId" | "trialId" | "trialIndex">;

/**
 * Reads the order from the ledger. Of a trial whose id says its index nothing is kept, so a million trials of the usual
 * ids cost no memory.
 */
export async function trialOrderOf(ledger: AsyncIterable<LedgerRow>): Promise<TrialOrder> {
  const others = new Map<string, Map<string, number>>();
  let isEmpty = true;
  for await (const { taskId, trialId, trialIndex } of ledger) {
    isEmpty = false;
    if (trialIndex === indexInId(taskId, trialId)) continue;
    const byId = others.get(taskId) ?? new Map<string, number>();
    others.set(taskId, byId);
    byId.set(trialId, trialIndex);
  }
  if (isEmpty) return () => null;
  return (taskId, trialId) => others.get(taskId)?.get(trialId) ?? indexInId(taskId, trialId);
}

const suffix = /^:[^:]+(?::([1-9]\d{0,8}))?$/;

/** The index in an id that `trialIdOf` made, `<task>:<suffix>` or `<task>:<suffix>:<index>`; null in any other. */
function indexInId(taskId: string, trialId: string): number | null {
  if (!trialId.startsWith(taskId)) return null;
  const match = suffix.exec(trialId.slice(taskId.length));
  return match === null ? null : Number(match[1] ?? 0);
}
