import { z } from "zod";

import { dataMap, stringMap } from "../../schema/free-form.ts";
import { sandboxLimitSchemas } from "../../schema/sandbox-limits.ts";
import { inlineSeedSchema, pathSeedSchema } from "../../schema/seed.ts";

const heldOutFile = z.union([
  z.string().describe("The text of the file."),
  inlineSeedSchema,
  pathSeedSchema,
]);

const sandboxSettings = {
  /** The image of the container. It needs `sh` and what the command needs. */
  image: z
    .string()
    .min(1)
    .describe("The image of the container. It needs `sh` and what the command needs."),
  /** What the command reaches: nothing, or with `bridge` what the host reaches. */
  network: z
    .enum(["none", "bridge"])
    .default("none")
    .describe("What the command reaches: nothing, or with `bridge` what the host reaches."),
  /** Memory of a container in MiB; null sets no limit. */
  memoryMib: sandboxLimitSchemas.memoryMib,
  /** Processors of a container, in parts too; null sets no limit. */
  cpus: sandboxLimitSchemas.cpus,
  /** Processes and threads of a container at once; null sets no limit. */
  maxProcesses: sandboxLimitSchemas.maxProcesses,
  /** What a container may write, in MiB; null sets no limit. Not every engine can hold one. */
  diskMib: sandboxLimitSchemas.diskMib,
};

export const commandVerifierSettings = {
  /** The program and its arguments; there is no shell. It runs on a copy of the evidence. */
  command: z
    .array(z.string().min(1))
    .min(1)
    .describe(
      "The program and its arguments; there is no shell. It runs on a copy of the evidence.",
    ),
  /** Held-out files that are laid over the copy, by their path in it. The path of a `path` seed is a template. */
  files: dataMap(heldOutFile)
    .default({})
    .describe(
      "Held-out files that are laid over the copy, by their path in it. The path of a `path` seed is a template.",
    ),
  /** Template of a folder, relative to the suite, whose files are laid over the copy. */
  directory: z
    .string()
    .min(1)
    .optional()
    .describe("Template of a folder, relative to the suite, whose files are laid over the copy."),
  /** Where the command runs, relative to the copy. */
  cwd: z.string().min(1).optional().describe("Where the command runs, relative to the copy."),
  /** A container that the command runs in, one per trial, with the held-out files read-only. Default: it runs here. */
  sandbox: z
    .strictObject(sandboxSettings)
    .optional()
    .describe(
      "A container that the command runs in, one per trial, with the held-out files read-only. Default: it runs here.",
    ),
  /** Seconds before the command is ended; the reward is then 0. */
  timeoutS: z
    .number()
    .positive()
    .default(60)
    .describe("Seconds before the command is ended; the reward is then 0."),
  /** The directory of evidence that is verified. */
  evidenceName: z
    .string()
    .min(1)
    .default("final_state")
    .describe("The directory of evidence that is verified."),
  /** Name of the output. */
  outputName: z.string().min(1).default("reward").describe("Name of the output."),
  /** Which reward of reward.json counts, where it holds several. */
  rewardKey: z
    .string()
    .min(1)
    .default("reward")
    .describe("Which reward of reward.json counts, where it holds several."),
  /** Adds the boolean output `passed`: whether the reward reaches this. */
  threshold: z
    .number()
    .optional()
    .describe("Adds the boolean output `passed`: whether the reward reaches this."),
  /** Environment of the command beside PATH and a private HOME. Recorded: never a secret. */
  env: stringMap()
    .default({})
    .describe(
      "Environment of the command beside PATH and a private HOME. Recorded: never a secret.",
    ),
};

export const commandVerifierSchema = z.strictObject(commandVerifierSettings);

export type CommandVerifierConfig = Readonly<z.output<typeof commandVerifierSchema>>;

export type VerifierSandboxConfig = NonNullable<CommandVerifierConfig["sandbox"]>;
