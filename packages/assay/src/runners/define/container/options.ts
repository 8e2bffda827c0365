import { z } from "zod";

import { hostPath } from "../../../schema/path-option.ts";
import { type OptionsOutput, operational, shapes } from "../../../support/options.ts";

/** The options of a runner that makes containers, but for their image and network. */
export const containerOptions = {
  /** Memory of a container in MiB; null sets no limit. */
  memoryMib: shapes(
    z
      .int()
      .min(16)
      .nullable()
      .default(null)
      .describe("Memory of a container in MiB; null sets no limit."),
  ),
  /** Processors of a container, in parts too; null sets no limit. */
  cpus: shapes(
    z
      .number()
      .positive()
      .nullable()
      .default(null)
      .describe("Processors of a container, in parts too; null sets no limit."),
  ),
  /** Processes and threads of a container at once; null sets no limit. */
  maxProcesses: shapes(
    z
      .int()
      .positive()
      .nullable()
      .default(null)
      .describe("Processes and threads of a container at once; null sets no limit."),
  ),
  /** What a container may write, in MiB; null sets no limit. Not every engine can hold one. */
  diskMib: shapes(
    z
      .int()
      .min(16)
      .nullable()
      .default(null)
      .describe(
        "What a container may write, in MiB; null sets no limit. Not every engine can hold one.",
      ),
  ),
  /** The docker command: a name on PATH, or a path. */
  dockerBin: operational(
    hostPath().default("docker").describe("The docker command: a name on PATH, or a path."),
    "what runs is the image, whose digest is recorded",
  ),
};

export type ContainerOptions = OptionsOutput<typeof containerOptions>;

export const networks = ["bridge", "none"] as const;

/** What a runner says of a container before there is one. */
export interface PlannedContainer extends ContainerOptions {
  readonly image: string;
  readonly network: (typeof networks)[number];
  readonly timeoutS: number | null;
}
