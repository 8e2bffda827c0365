import type { AttemptRecord } from "../schema/attempt.ts";

/** Position of a trial in its task, as planned; null when the ledger does not say. */
export type TrialOrder = (taskId: string, trialId: string) => number | null;

type LedgerRow = Pick<AttemptRecord, "taskId" | "trialId" | "trialIndex">;

/**
 * Takes the order from rows of the ledger. Of a trial whose id says its index nothing is kept, so a million trials of the
 * usual ids cost no memory.
 */
export class TrialOrderBook {
  readonly #others = new Map<string, Map<string, number>>();
  #isEmpty = true;

  add({ taskId, trialId, trialIndex }: LedgerRow): void {
    this.#isEmpty = false;
    if (trialIndex === indexInId(taskId, trialId)) return;
    const byId = this.#others.get(taskId) ?? new Map<string, number>();
    this.#others.set(taskId, byId);
    byId.set(trialId, trialIndex);
  }

  readonly orderOf: TrialOrder = (taskId, trialId) => {
    if (this.#isEmpty) return null;
    return this.#others.get(taskId)?.get(trialId) ?? indexInId(taskId, trialId);
  };
}

/** The same of a whole ledger. */
export async function trialOrderOf(ledger: AsyncIterable<LedgerRow>): Promise<TrialOrder> {
  const book = new TrialOrderBook();
  for await (const row of ledger) book.add(row);
  return book.orderOf;
}

const suffix = /^:[^:]+(?::([1-9]\d{0,8}))?$/;

/** The index in an id that `trialIdOf` made, `<task>:<suffix>` or `<task>:<suffix>:<index>`; null in any other. */
function indexInId(taskId: string, trialId: string): number | null {
  if (!trialId.startsWith(taskId)) return null;
  const match = suffix.exec(trialId.slice(taskId.length));
  return match === null ? null : Number(match[1] ?? 0);
}
