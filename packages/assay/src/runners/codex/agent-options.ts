import { z } from "zod";

import type { AgentTask } from "../../contracts/task.ts";
import { AssayError } from "../../errors/assay-error.ts";
import { dataMap, jsonValue, stringMap } from "../../schema/free-form.ts";
import { namedFunction } from "../../support/named-function.ts";
import { type OptionsOutput, shapes } from "../../support/options.ts";
import { instructionOf } from "../define/check-task.ts";
import { parallelismOption } from "../define/parallelism-option.ts";

/** Builds the prompt of a task. It sees the id and the inputs, never what graders see. */
export type PromptBuilder = (task: AgentTask) => string;

const environmentNamePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;
const environmentName = z
  .string()
  .regex(environmentNamePattern, "must be the name of an environment variable");

/** The options of Codex, wherever it runs. */
export const codexAgentOptions = {
  /** Model name; null takes Codex's own default. */
  model: shapes(
    z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe("Model name; null takes Codex's own default."),
  ),
  /** Seconds one trial may take. */
  timeoutS: shapes(z.number().positive().default(600).describe("Seconds one trial may take.")),
  /** Builds the prompt; the default gives the task's instruction verbatim. */
  promptBuilder: shapes(
    namedFunction<"build", PromptBuilder>("build")
      .default({ name: "instruction", module: "assay", build: (task) => instructionOf(task) })
      .describe("Builds the prompt; the default gives the task's instruction verbatim."),
  ),
  /**
   * Codex settings (-c) by dotted key; null takes out one that Assay sets. "${NAME}" in a string takes a variable of
   * Codex's environment.
   */
  configOverrides: shapes(
    dataMap(jsonValue())
      .default({})
      .describe(
        `Codex settings (-c) by dotted key; null takes out one that Assay sets. "\${NAME}" in a string takes a variable of Codex's environment.`,
      ),
  ),
  /** Further environment of Codex, by name. Not for secrets: declare those. */
  env: shapes(
    stringMap()
      .default({})
      .describe("Further environment of Codex, by name. Not for secrets: declare those."),
  ),
  /** Names of host variables that Codex gets too. */
  inheritEnv: shapes(
    z.array(environmentName).default([]).describe("Names of host variables that Codex gets too."),
  ),
  /** Trials at once; null takes the run's concurrency. */
  parallelism: parallelismOption,
};

export type CodexAgentOptions = OptionsOutput<typeof codexAgentOptions>;

/** Rules over keys, which their schemas let pass. */
export function checkAgentOptions(
  runner: string,
  { configOverrides, env }: Pick<CodexAgentOptions, "configOverrides" | "env">,
): void {
  for (const key of Object.keys(configOverrides)) {
    if (/^[\w-]+(?:\.[\w-]+)*$/.test(key)) continue;
    const problem = `${runner}: config_overrides: "${key}" is no dotted key of letters, digits, "_" and "-"`;
    throw new AssayError("ASSAY_CONFIG_INVALID", problem);
  }
  for (const name of Object.keys(env)) {
    if (!environmentNamePattern.test(name))
      throw new AssayError("ASSAY_CONFIG_INVALID", `${runner}: env: "${name}" is no variable name`);
    if (name === "CODEX_HOME")
      throw new AssayError("ASSAY_CONFIG_INVALID", `${runner}: env: CODEX_HOME cannot be set here`);
  }
}
