import { homedir } from "node:os";

import type { Clock, Random } from "../contracts/clock.ts";
import type { FileStore } from "../contracts/files.ts";
import type { ProcessIdentities } from "../contracts/owner.ts";
import type { ProcessCapability } from "../contracts/process.ts";
import type { ScratchEntry } from "../contracts/scratch.ts";
import { systemClock } from "./clock.ts";
import { nodeFileStore } from "./files/node-file-store.ts";
import { type HostFacts, readHostFacts } from "./host.ts";
import { ownProgram } from "./process/own-program.ts";
import { createProcessCapability } from "./process/process-capability.ts";
import { type RunRemains, reap } from "./process/reap.ts";
import { livenessOf, readOwnIdentity } from "./process-identity.ts";
import { createRandom } from "./random.ts";
import {
  createScratch,
  defaultScratchParent,
  listScratch,
  removeScratch,
  type Scratch,
  type ScratchOptions,
} from "./scratch.ts";

export interface NodePlatformOptions {
  /** The environment; default that of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where scratch roots are made; default the user's cache directory. */
  readonly scratchParent?: string;
}

export type ScratchRequest = Pick<ScratchOptions, "token" | "runId" | "isRemovedAtExit">;

/** All that Assay has of this machine. */
export interface NodePlatform {
  readonly files: FileStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly host: HostFacts;
  readonly identities: ProcessIdentities;
  /** Processes that carry the run's token. */
  process(token: string): ProcessCapability;
  /** Kills what still carries a run's token or lives below its scratch directory, and answers how many there were. */
  reap(remains: RunRemains): Promise<number>;
  /** The command that runs a module of Assay itself in a Node process of its own. */
  ownProgram(module: URL, nodeOptions: readonly string[]): readonly [string, ...string[]];
  createScratch(options: ScratchRequest): Promise<Scratch>;
  listScratch(): Promise<readonly ScratchEntry[]>;
  removeScratch(entry: ScratchEntry): Promise<void>;
}

export function createNodePlatform({
  env = process.env,
  scratchParent,
}: NodePlatformOptions): NodePlatform {
  const parent = scratchParent ?? defaultScratchParent(env, homedir());
  const clock = systemClock;
  return {
    files: nodeFileStore,
    clock,
    random: createRandom(),
    env,
    host: readHostFacts(env),
    identities: { own: readOwnIdentity, livenessOf: (identity) => livenessOf(identity) },
    process: (token) => createProcessCapability({ token, hostEnv: env, clock }),
    reap,
    ownProgram,
    createScratch: (options) => createScratch({ ...options, parent, clock }),
    listScratch: () => listScratch(parent),
    removeScratch,
  };
}
