import { z } from "zod";

import { hostPath } from "../../schema/path-option.ts";
import { type OptionsOutput, operational, shapes } from "../../support/options.ts";
import { checkAgentOptions, codexAgentOptions } from "./agent-options.ts";

const sandboxModes = ["read-only", "workspace-write", "danger-full-access"] as const;

const cliOptions = {
  /** The Codex executable: a name on PATH, or a path. */
  codexBin: operational(
    hostPath().default("codex").describe("The Codex executable: a name on PATH, or a path."),
    "where the program lies does not change what it does; its version and file digest are recorded instead",
  ),
  /** What Codex's own sandbox allows its commands. */
  sandbox: shapes(
    z
      .enum(sandboxModes)
      .default("workspace-write")
      .describe("What Codex's own sandbox allows its commands."),
  ),
  /** Whether sandboxed commands may use the network. */
  networkAccess: shapes(
    z.boolean().default(false).describe("Whether sandboxed commands may use the network."),
  ),
  /** Codex's home, for its login; null takes CODEX_HOME of the host, or else a private empty one. */
  codexHome: operational(
    hostPath()
      .nullable()
      .default(null)
      .describe(
        "Codex's home, for its login; null takes CODEX_HOME of the host, or else a private empty one.",
      ),
    "its user configuration is ignored and the rest that shapes results is digested by the probe",
  ),
};

/** By the types of its parts: written out, the declarations would lack the help of each key. */
export const codexOptions: typeof codexAgentOptions & typeof cliOptions = {
  ...codexAgentOptions,
  ...cliOptions,
};

export type CodexOptions = OptionsOutput<typeof codexOptions>;

export function checkCodexOptions(options: CodexOptions): void {
  checkAgentOptions("codex_cli", options);
}
