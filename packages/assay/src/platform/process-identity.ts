import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

import { hasProcessTable, readProcess } from "./process/process-table.ts";

/** Names one process for good: over ends and reuse of its pid, restarts of the machine, containers and hosts. */
export interface ProcessIdentity {
  readonly hostname: string;
  /** Changes with every start of the machine; null where the system has none. */
  readonly bootId: string | null;
  /** Pids of another namespace (a container) mean other processes. */
  readonly pidNamespace: string | null;
  readonly pid: number;
  /** Clock ticks between the start of the machine and of the process. */
  readonly startTicks: number | null;
}

/** `elsewhere`: it belongs to another host or container, so it cannot be seen whether it lives. */
export type Liveness = "alive" | "dead" | "elsewhere";

export function readOwnIdentity(): ProcessIdentity {
  return {
    hostname: hostname(),
    bootId: hasProcessTable ? readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim() : null,
    pidNamespace: hasProcessTable ? readlinkSync("/proc/self/ns/pid") : null,
    pid: process.pid,
    startTicks: hasProcessTable ? (readProcess(process.pid)?.startTicks ?? null) : null,
  };
}

export function livenessOf(identity: ProcessIdentity, own = readOwnIdentity()): Liveness {
  if (identity.hostname !== own.hostname) return "elsewhere";
  if (identity.bootId !== own.bootId) return "dead";
  if (identity.pidNamespace !== own.pidNamespace) return "elsewhere";
  return isRunning(identity) ? "alive" : "dead";
}

function isRunning({ pid, startTicks }: ProcessIdentity): boolean {
  if (hasProcessTable) return readProcess(pid)?.startTicks === startTicks;
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    // EPERM: it is there and belongs to somebody else.
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
