import { z } from "zod";

import { AssayError } from "../../errors/assay-error.ts";
import { hostPath } from "../../schema/path-option.ts";
import { type OptionsOutput, operational, shapes } from "../../support/options.ts";
import { checkAgentOptions, codexAgentOptions } from "../codex/agent-options.ts";
import { containerOptions, networks } from "../define/container/options.ts";

const codexInContainerOptions = {
  /** The image of the containers. It needs a shell, and Node with npx unless Codex is in it. */
  image: shapes(
    z
      .string()
      .min(1)
      .default("node:22-alpine")
      .describe(
        "The image of the containers. It needs a shell, and Node with npx unless Codex is in it.",
      ),
  ),
  /** What npx is to run: an npm package with its version, or a path in the image; null takes `codex` of the image. */
  codexPackage: shapes(
    z
      .string()
      .min(1)
      .nullable()
      .default("@openai/codex@0.171.0")
      .describe(
        "What npx is to run: an npm package with its version, or a path in the image; null takes `codex` of the image.",
      ),
  ),
  /** `bridge` reaches what the host reaches, and the host as host.docker.internal. */
  network: shapes(
    z
      .enum(networks)
      .default("bridge")
      .describe("`bridge` reaches what the host reaches, and the host as host.docker.internal."),
  ),
  /** A login file of Codex (auth.json), mounted read-only; null takes the one of the host's Codex home, if any. */
  authPath: operational(
    hostPath()
      .nullable()
      .default(null)
      .describe(
        "A login file of Codex (auth.json), mounted read-only; null takes the one of the host's Codex home, if any.",
      ),
    "who pays for the model does not change what it does",
  ),
};

/** By the types of its parts: written out, the declarations would lack the help of each key. */
export const codexDockerOptions: typeof codexAgentOptions &
  typeof codexInContainerOptions &
  typeof containerOptions = {
  ...codexAgentOptions,
  ...codexInContainerOptions,
  ...containerOptions,
};

export type CodexDockerOptions = OptionsOutput<typeof codexDockerOptions>;

export function checkCodexDockerOptions(options: CodexDockerOptions): void {
  checkAgentOptions("codex_docker_cli", options);
  if (options.codexPackage?.startsWith("-") === true) {
    const problem = `codex_docker_cli: codex_package: "${options.codexPackage}" is no package`;
    throw new AssayError("ASSAY_CONFIG_INVALID", problem);
  }
}
