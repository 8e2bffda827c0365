import type { AttemptRecord } from "../schema/attempt.ts";

/** Position of a trial in its task, as planned; null when the ledger does not say. */
export type TrialOrder = (taskId: string, trialId: string) => number | null;

type LedgerRow = Pick<AttemptRecord, "taskId" | "trialId" | "trialIndex">;

/**
 * Takes the order from rows of the ledger. Of a trial whose id says its index only the suffix is kept, so a million trials
 * of the usual ids cost no memory. An id with another suffix says nothing: backends have numbers of their own there.
 */
export class TrialOrderBook {
  readonly #others = new Map<string, Map<string, number>>();
  readonly #suffixes = new Set<string>();
  #isEmpty = true;

  add({ taskId, trialId, trialIndex }: LedgerRow): void {
    this.#isEmpty = false;
    const told = partsOf(taskId, trialId);
    if (trialIndex === told?.index) {
      this.#suffixes.add(told.suffix);
      return;
    }
    const byId = this.#others.get(taskId) ?? new Map<string, number>();
    this.#others.set(taskId, byId);
    byId.set(trialId, trialIndex);
  }

  readonly orderOf: TrialOrder = (taskId, trialId) => {
    if (this.#isEmpty) return null;
    const known = this.#others.get(taskId)?.get(trialId);
    if (known !== undefined) return known;
    const told = partsOf(taskId, trialId);
    return told !== null && this.#suffixes.has(told.suffix) ? told.index : null;
  };
}

/** The same of a whole ledger. */
export async function trialOrderOf(ledger: AsyncIterable<LedgerRow>): Promise<TrialOrder> {
  const book = new TrialOrderBook();
  for await (const row of ledger) book.add(row);
  return book.orderOf;
}

const idEnd = /^:([^:]+)(?::([1-9]\d{0,8}))?$/;

/** The parts of an id that `trialIdOf` made, `<task>:<suffix>` or `<task>:<suffix>:<index>`; null of any other. */
function partsOf(
  taskId: string,
  trialId: string,
): { readonly suffix: string; readonly index: number } | null {
  if (!trialId.startsWith(taskId)) return null;
  const match = idEnd.exec(trialId.slice(taskId.length));
  return match === null ? null : { suffix: match[1] ?? "", index: Number(match[2] ?? 0) };
}
