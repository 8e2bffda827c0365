import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

import type { Liveness, ProcessIdentity } from "../contracts/owner.ts";
import { hasProcessTable, readProcess } from "./process/process-table.ts";

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
