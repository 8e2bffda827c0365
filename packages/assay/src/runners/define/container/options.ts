import { hostPath } from "../../../schema/path-option.ts";
import { sandboxLimitSchemas } from "../../../schema/sandbox-limits.ts";
import { type OptionsOutput, operational, shapes } from "../../../support/options.ts";

/** The options of a runner that makes containers, but for their image and network. */
export const containerOptions = {
  /** Memory of a container in MiB; null sets no limit. */
  memoryMib: shapes(sandboxLimitSchemas.memoryMib),
  /** Processors of a container, in parts too; null sets no limit. */
  cpus: shapes(sandboxLimitSchemas.cpus),
  /** Processes and threads of a container at once; null sets no limit. */
  maxProcesses: shapes(sandboxLimitSchemas.maxProcesses),
  /** What a container may write, in MiB; null sets no limit. Not every engine can hold one. */
  diskMib: shapes(sandboxLimitSchemas.diskMib),
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
