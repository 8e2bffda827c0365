import { arch, availableParallelism, hostname, release } from "node:os";

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
  readonly hostname: string;
  /** Working directory of this process. */
  readonly cwd: string;
}

export function readHostFacts(): HostFacts {
  return {
    os: process.platform,
    osRelease: release(),
    architecture: arch(),
    cpuCount: availableParallelism(),
    nodeVersion: process.versions.node,
    hostname: hostname(),
    cwd: process.cwd(),
  };
}
