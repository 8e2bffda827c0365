import { readFileSync } from "node:fs";
import type {
  ProcessCapability,
  ProcessRequest,
  ProcessResult,
} from "../../packages/assay/src/contracts/process.ts";
import { systemClock } from "../../packages/assay/src/platform/clock.ts";
import { createProcessCapability } from "../../packages/assay/src/platform/process/process-capability.ts";
import { newToken } from "../../packages/assay/src/support/ids.ts";
import { defineTool } from "../support/tools.ts";

defineTool("proc", () => (process.platform === "linux" ? null : "there is no /proc here"));

export const env = { PATH: process.env["PATH"] ?? "" };

export function startCapability(token = newToken()): ProcessCapability {
  return createProcessCapability({ token, hostEnv: process.env, clock: systemClock });
}

/** Runs a shell script as the program under test. */
export function runScript(
  script: string,
  request: Partial<ProcessRequest> = {},
): Promise<ProcessResult> {
  return startCapability().run({ argv: ["sh", "-c", script], cwd: "/", env, ...request });
}

/** True for a process that runs; one that only waits to be reaped has ended. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !"ZX".includes(stat.charAt(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}

/** The pids that a script printed, one per line. */
export function pidsIn(text: string): number[] {
  return text
    .trim()
    .split("\n")
    .map((line) => Number(line));
}
