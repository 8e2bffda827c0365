import { z } from "zod";

/** Limits of a container, as options and settings name them. */
export const sandboxLimitSchemas = {
  memoryMib: z
    .int()
    .min(16)
    .nullable()
    .default(null)
    .describe("Memory of a container in MiB; null sets no limit."),
  cpus: z
    .number()
    .positive()
    .nullable()
    .default(null)
    .describe("Processors of a container, in parts too; null sets no limit."),
  maxProcesses: z
    .int()
    .positive()
    .nullable()
    .default(null)
    .describe("Processes and threads of a container at once; null sets no limit."),
  diskMib: z
    .int()
    .min(16)
    .nullable()
    .default(null)
    .describe(
      "What a container may write, in MiB; null sets no limit. Not every engine can hold one.",
    ),
};

export interface SandboxLimitSettings {
  readonly memoryMib: number | null;
  readonly cpus: number | null;
  readonly maxProcesses: number | null;
  readonly diskMib: number | null;
}

const mib = 1024 * 1024;

/** The same as the contract of sandboxes has them. */
export function sandboxLimits({ memoryMib, cpus, maxProcesses, diskMib }: SandboxLimitSettings) {
  return {
    ...(memoryMib === null ? {} : { memoryBytes: memoryMib * mib }),
    ...(cpus === null ? {} : { cpus }),
    ...(maxProcesses === null ? {} : { processes: maxProcesses }),
    ...(diskMib === null ? {} : { diskBytes: diskMib * mib }),
  };
}
