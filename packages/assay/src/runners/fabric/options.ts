import { hostPath } from "../../schema/path-option.ts";
import { type OptionsOutput, operational } from "../../support/options.ts";
import { checkAgentOptions, fabricAgentOptions } from "./agent-options.ts";

const hostOptions = {
  /** Where relative paths of the configuration start; null takes the suite's folder. */
  baseDir: operational(
    hostPath()
      .nullable()
      .default(null)
      .describe("Where relative paths of the configuration start; null takes the suite's folder."),
    "the adapter that is found there is digested by the probe",
  ),
  /** The interpreter that has nemo-fabric and the harness: a name on PATH, or a path. */
  python: operational(
    hostPath()
      .default("python3")
      .describe("The interpreter that has nemo-fabric and the harness: a name on PATH, or a path."),
    "where it lies does not change what it does; its version and its packages are recorded instead",
  ),
};

/** By the types of its parts: written out, the declarations would lack the help of each key. */
export const fabricOptions: typeof fabricAgentOptions & typeof hostOptions = {
  ...fabricAgentOptions,
  ...hostOptions,
};

export type FabricOptions = OptionsOutput<typeof fabricOptions>;

export function checkFabricOptions(options: FabricOptions): void {
  checkAgentOptions("fabric", options);
}
