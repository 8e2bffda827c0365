import { homedir } from "node:os";

import type { Clock, Random } from "../contracts/clock.ts";
import type { FileStore } from "../contracts/files.ts";
import type { ProcessCapability } from "../contracts/process.ts";
import { systemClock } from "./clock.ts";
import { nodeFileStore } from "./files/node-file-store.ts";
import { type HostFacts, readHostFacts } from "./host.ts";
import { createProcessCapability } from "./process/process-capability.ts";
import { reapByToken } from "./process/reap.ts";
import { createRandom } from "./random.ts";
import {
  createScratch,
  defaultScratchParent,
  listScratch,
  removeScratch,
  type Scratch,
  type ScratchEntry,
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
  /** Processes that carry the run's token. */
  process(token: string): ProcessCapability;
  /** Kills what still carries a run's token, and answers how many there were. */
  reapByToken(token: string): Promise<number>;
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
    host: readHostFacts(),
    process: (token) => createProcessCapability({ token, hostEnv: env, clock }),
    reapByToken,
    createScratch: (options) => createScratch({ ...options, parent, clock }),
    listScratch: () => listScratch(parent),
    removeScratch,
  };
}
