import { z } from "zod";

import { AssayError } from "../../errors/assay-error.ts";
import { type OptionsOutput, operational, shapes } from "../../support/options.ts";
import { containerOptions, networks } from "../define/container/options.ts";
import { checkAgentOptions, fabricAgentOptions } from "../fabric/agent-options.ts";

const fabricInContainerOptions = {
  /** The image of the containers, with Python, nemo-fabric and the harness; null builds one of base_image and packages. */
  image: shapes(
    z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe(
        "The image of the containers, with Python, nemo-fabric and the harness; null builds one of base_image and packages.",
      ),
  ),
  /** What an image is built from where none is given; it has Python 3.11 or later. */
  baseImage: shapes(
    z
      .string()
      .min(1)
      .default("python:3.12-slim")
      .describe("What an image is built from where none is given; it has Python 3.11 or later."),
  ),
  /** What pip installs in an image that is built: packages with their versions. */
  packages: shapes(
    z
      .array(z.string().min(1))
      .min(1)
      .default(["nemo-fabric[codex]==0.5.0"])
      .describe("What pip installs in an image that is built: packages with their versions."),
  ),
  /** The interpreter in the image: a name on PATH, or a path. */
  python: operational(
    z
      .string()
      .min(1)
      .default("python3")
      .describe("The interpreter in the image: a name on PATH, or a path."),
    "its version, its packages and the image are recorded instead",
  ),
  /** `bridge` reaches what the host reaches, and the host as host.docker.internal. */
  network: shapes(
    z
      .enum(networks)
      .default("bridge")
      .describe("`bridge` reaches what the host reaches, and the host as host.docker.internal."),
  ),
};

/** By the types of its parts: written out, the declarations would lack the help of each key. */
export const fabricContainerOptions: typeof fabricAgentOptions &
  typeof fabricInContainerOptions &
  typeof containerOptions = {
  ...fabricAgentOptions,
  ...fabricInContainerOptions,
  ...containerOptions,
};

export type FabricContainerOptions = OptionsOutput<typeof fabricContainerOptions>;

const runnerName = "fabric_container";

export function checkFabricContainerOptions(options: FabricContainerOptions): void {
  checkAgentOptions(runnerName, options);
  const wrong = (problem: string) =>
    new AssayError("ASSAY_CONFIG_INVALID", `${runnerName}: ${problem}`);
  const flag = options.packages.find((name) => !/^[A-Za-z0-9][\w.[\],<>=!~;@:/+-]*$/.test(name));
  if (flag !== undefined) throw wrong(`packages: "${flag}" is no package`);
  if (!/^[\w][\w./:@-]*$/.test(options.baseImage))
    throw wrong(`base_image: "${options.baseImage}" is no name of an image`);
  if (options.python.startsWith("-")) throw wrong(`python: "${options.python}" is no program`);
}
