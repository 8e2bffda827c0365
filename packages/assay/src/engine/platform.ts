import type { Clock, Random } from "../contracts/clock.ts";
import type { FileStore } from "../contracts/files.ts";
import type { ProcessCapability } from "../contracts/process.ts";

/** What the engine needs of the machine; `platform/node-platform.ts` gives most of it. */
export interface Platform {
  readonly files: FileStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly host: HostFacts;
  /** Version of this Assay. */
  readonly assayVersion: string;
  /** Processes that carry the run's token. */
  process(token: string): ProcessCapability;
  /** Ends what still carries the token; the number of processes that had to be killed. */
  reapByToken(token: string): Promise<number>;
  createScratch(options: {
    readonly token: string;
    readonly runId: string;
    /** Removed when this process ends, unless it was before. */
    readonly isRemovedAtExit?: boolean;
  }): Promise<Scratch>;
}

export interface HostFacts {
  readonly os: string;
  readonly osRelease: string;
  readonly architecture: string;
  readonly cpuCount: number;
  readonly nodeVersion: string;
}

export interface Scratch {
  readonly path: string;
  remove(): Promise<void>;
}
