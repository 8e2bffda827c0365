import { arch, availableParallelism, hostname, release } from "node:os";
import { containerHint, systemSigns } from "./container-hint.ts";

/** The machine and runtime that everything runs on. */
export interface HostFacts {
  /** `linux`, `darwin`. */
  readonly os: string;
  readonly osRelease: string;
  /** `x64`, `arm64`. */
  readonly architecture: string;
  /** Processors that this process may use. */
  readonly cpuCount: number;
  /** Without the leading `v`. */
  readonly nodeVersion: string;
  /** The kind of container that this process seems to run in; null without a sign of one. */
  readonly container: string | null;
  readonly hostname: string;
  /** Working directory of this process. */
  readonly cwd: string;
}

export function readHostFacts(env: Readonly<Record<string, string | undefined>>): HostFacts {
  return {
    os: process.platform,
    osRelease: release(),
    architecture: arch(),
    cpuCount: availableParallelism(),
    nodeVersion: process.versions.node,
    container: containerHint(systemSigns(env)),
    hostname: hostname(),
    cwd: process.cwd(),
  };
}
