import type { SandboxFacts } from "../../../contracts/runner.ts";
import type { PlannedContainer } from "./options.ts";

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
