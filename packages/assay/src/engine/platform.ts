import type { Clock, Random } from "../contracts/clock.ts";
import type { FileStore } from "../contracts/files.ts";
import type { ProcessIdentities } from "../contracts/owner.ts";
import type { ProcessCapability } from "../contracts/process.ts";
import type { ScratchEntry } from "../contracts/scratch.ts";
import type { Fact } from "../schema/fact.ts";

/** What the engine needs of the machine; `platform/node-platform.ts` gives most of it. */
export interface Platform {
  readonly files: FileStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly host: HostFacts;
  readonly identities: ProcessIdentities;
  /** Version of this Assay. */
  readonly assayVersion: string;
  /** Digest of its program files. */
  assayIntegrity(): Fact<string>;
  /** Processes that carry the run's token. */
  process(token: string): ProcessCapability;
  /** Ends what still carries the token or lives below the scratch directory; the number of processes that had to be killed. */
  reap(remains: { readonly token: string; readonly directory: string }): Promise<number>;
  /** The command that runs a module of Assay itself in a Node process of its own. */
  ownProgram(module: URL, nodeOptions: readonly string[]): readonly [string, ...string[]];
  createScratch(options: {
    readonly token: string;
    readonly runId: string;
    /** Removed when this process ends, unless it was before. */
    readonly isRemovedAtExit?: boolean;
  }): Promise<Scratch>;
  /** The scratch roots of this user, those of living runs too. */
  listScratch(): Promise<readonly ScratchEntry[]>;
  removeScratch(entry: ScratchEntry): Promise<void>;
}

export interface HostFacts {
  readonly os: string;
  readonly osRelease: string;
  readonly architecture: string;
  readonly cpuCount: number;
  readonly nodeVersion: string;
  readonly container: string | null;
}

export interface Scratch {
  readonly path: string;
  remove(): Promise<void>;
}
