import type { SandboxFacts } from "../../../contracts/runner.ts";
import type { SandboxLimits } from "../../../contracts/sandbox.ts";
import type { ContainerOptions, PlannedContainer } from "./options.ts";

/** What containers of these options are and may, told before any is made. */
export function containerFacts(options: Omit<PlannedContainer, "dockerBin">): SandboxFacts {
  const { image, network, timeoutS, memoryMib, cpus, maxProcesses, diskMib } = options;
  return {
    isolation: "container",
    provider: "docker",
    image,
    imageDigest: { unknown: "no trial was run in it" },
    limits: {
      timeout_s: timeoutS,
      memory_mib: memoryMib,
      cpus,
      processes: maxProcesses,
      disk_mib: diskMib,
    },
    network,
  };
}

export function limitsOf({
  memoryMib,
  cpus,
  maxProcesses,
  diskMib,
}: Pick<ContainerOptions, "memoryMib" | "cpus" | "maxProcesses" | "diskMib">): SandboxLimits {
  return {
    ...(memoryMib === null ? {} : { memoryBytes: memoryMib * 1024 * 1024 }),
    ...(cpus === null ? {} : { cpus }),
    ...(maxProcesses === null ? {} : { processes: maxProcesses }),
    ...(diskMib === null ? {} : { diskBytes: diskMib * 1024 * 1024 }),
  };
}
