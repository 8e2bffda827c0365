import type { Liveness } from "./owner.ts";

/** A private root that agents and tools of one run write below, as it is found on disk. */
export interface ScratchEntry {
  readonly path: string;
  readonly token: string;
  readonly runId: string;
  readonly createdAt: string;
  /** Whether the process that made it still runs. */
  readonly owner: Liveness;
  /** True unless the owner is known to be dead. */
  readonly isAlive: boolean;
}
