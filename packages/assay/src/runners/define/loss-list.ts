import type { ImportLoss } from "../../contracts/importer.ts";

/** What has no place in a bundle, counted by its reason, with the first place of each. */
export class LossList {
  readonly #byReason = new Map<string, { readonly field: string; count: number }>();

  add(field: string, reason: string, count = 1): void {
    const known = this.#byReason.get(reason);
    if (known === undefined) this.#byReason.set(reason, { field, count });
    else known.count += count;
  }

  addAll(others: LossList): void {
    for (const [reason, { field, count }] of others.#byReason) this.add(field, reason, count);
  }

  list(): ImportLoss[] {
    return [...this.#byReason].map(([reason, { field, count }]) => ({
      field: count === 1 ? field : `${field} and others`,
      reason,
      count,
    }));
  }
}
