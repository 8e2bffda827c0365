import { z } from "zod";

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
      .regex(/^\w[\w./:@-]*$/, "must be the name of an image")
      .default("python:3.12-slim")
      .describe("What an image is built from where none is given; it has Python 3.11 or later."),
  ),
  /** What pip installs in an image that is built: packages with their versions. */
  packages: shapes(
    z
      .array(z.string().regex(/^\w[\w.[\],<>=!~;@:/+-]*$/, "must be a package of pip"))
      .min(1)
      .default(["nemo-fabric[codex]==0.5.0"])
      .describe("What pip installs in an image that is built: packages with their versions."),
  ),
  /** The interpreter in the image: a name on PATH, or a path. */
  python: operational(
    z
      .string()
      .regex(/^[^-]/, "must be a program")
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

export function checkFabricContainerOptions(options: FabricContainerOptions): void {
  checkAgentOptions("fabric_container", options);
}
