import { z } from "zod";

import { AssayError } from "../../errors/assay-error.ts";
import { hostPath } from "../../schema/path-option.ts";
import { type OptionsOutput, operational, shapes } from "../../support/options.ts";
import { checkAgentOptions, codexAgentOptions } from "../codex/agent-options.ts";

const containerOptions = {
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
      .enum(["bridge", "none"])
      .default("bridge")
      .describe("`bridge` reaches what the host reaches, and the host as host.docker.internal."),
  ),
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
  /** The docker command: a name on PATH, or a path. */
  dockerBin: operational(
    hostPath().default("docker").describe("The docker command: a name on PATH, or a path."),
    "what runs is the image, whose digest is recorded",
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
export const codexDockerOptions: typeof codexAgentOptions & typeof containerOptions = {
  ...codexAgentOptions,
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
