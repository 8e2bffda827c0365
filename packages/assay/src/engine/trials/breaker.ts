import type { StoredTrial } from "../../bundle/write-door.ts";

const sameFaults = 3;
/** Faults that a further trial meets as well: what is wrong lies in the set-up. Imported trials met theirs long ago. */
const faultsOfSetUp: ReadonlySet<string> = new Set(["environment", "user"]);

/** Ends a run whose first trials all meet the same fault of the environment or of its credentials. */
export class Breaker {
  #met: string | null = null;
  #count = 0;
  #isClosed = true;

  /** Why no further trial should be begun; null while there is no reason. */
  add({ record, attempts }: StoredTrial): string | null {
    if (!this.#isClosed) return null;
    const fault = setUpFault({ record, attempts });
    if (fault === null || (this.#met !== null && fault !== this.#met)) {
      this.#isClosed = false;
      return null;
    }
    this.#met = fault;
    this.#count += 1;
    if (this.#count < sameFaults) return null;
    this.#isClosed = false;
    const said = record.error?.message ?? "no message";
    return `the first ${sameFaults} trials met the same fault of the set-up (${fault}): ${said}`;
  }
}

function setUpFault({ record, attempts }: Pick<StoredTrial, "record" | "attempts">): string | null {
  const last = attempts.at(-1);
  const isOfSetUp = last?.cause !== "imported" && faultsOfSetUp.has(last?.fault ?? "none");
  return isOfSetUp ? (record.error?.type ?? null) : null;
}
