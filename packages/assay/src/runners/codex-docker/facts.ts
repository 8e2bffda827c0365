import type { TargetFacts } from "../../contracts/runner.ts";
import type { SandboxLimits } from "../../contracts/sandbox.ts";
import { modelFact } from "../codex/facts.ts";
import type { CodexDockerOptions } from "./options.ts";

export function codexDockerFacts(options: CodexDockerOptions): TargetFacts {
  const { image, network, timeoutS, memoryMib, cpus, maxProcesses } = options;
  return {
    model: modelFact(options),
    prompt: { setBy: ["prompt_builder"], isSuiteCode: options.promptBuilder.module !== "assay" },
    sandbox: {
      isolation: "container",
      provider: "docker",
      image,
      imageDigest: { unknown: "no trial was run in it" },
      limits: {
        timeout_s: timeoutS,
        memory_mib: memoryMib,
        cpus,
        processes: maxProcesses,
      },
      network,
    },
  };
}

export function limitsOf({ memoryMib, cpus, maxProcesses }: CodexDockerOptions): SandboxLimits {
  return {
    ...(memoryMib === null ? {} : { memoryBytes: memoryMib * 1024 * 1024 }),
    ...(cpus === null ? {} : { cpus }),
    ...(maxProcesses === null ? {} : { processes: maxProcesses }),
  };
}
