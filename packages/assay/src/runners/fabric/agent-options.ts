import { z } from "zod";

import { AssayError } from "../../errors/assay-error.ts";
import { jsonObject, stringMap } from "../../schema/free-form.ts";
import { hostPath } from "../../schema/path-option.ts";
import { type OptionsOutput, shapes } from "../../support/options.ts";
import { parallelismOption } from "../define/parallelism-option.ts";

const environmentNamePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

const skillSchema = z.strictObject({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/, "must be lower-case words of letters and digits, with -"),
  directory: hostPath(),
});

/** The options of Fabric, wherever it runs. */
export const fabricAgentOptions = {
  /** Fabric's agent configuration, snake_case as Fabric has it: harness, models, instructions, mcp, ... */
  config: shapes(
    jsonObject().describe(
      "Fabric's agent configuration, snake_case as Fabric has it: harness, models, instructions, mcp, ...",
    ),
  ),
  /** Overlays on the configuration: objects are merged, all else is replaced, the last one wins. */
  profiles: shapes(
    z
      .array(jsonObject())
      .default([])
      .describe(
        "Overlays on the configuration: objects are merged, all else is replaced, the last one wins.",
      ),
  ),
  /** Takes the place of models.default: `provider/name`, or a name for the provider that is configured. */
  model: shapes(
    z
      .string()
      .min(1)
      .nullable()
      .default(null)
      .describe(
        "Takes the place of models.default: `provider/name`, or a name for the provider that is configured.",
      ),
  ),
  /** Seconds one trial may take. */
  timeoutS: shapes(z.number().positive().default(600).describe("Seconds one trial may take.")),
  /** Whether NeMo Relay records the trajectory (ATIF); the harness has to support it. */
  captureTrajectory: shapes(
    z
      .boolean()
      .default(true)
      .describe("Whether NeMo Relay records the trajectory (ATIF); the harness has to support it."),
  ),
  /** Whether NeMo Relay records spans too (OTLP). */
  captureSpans: shapes(
    z.boolean().default(false).describe("Whether NeMo Relay records spans too (OTLP)."),
  ),
  /** Copied into `extra` of the trajectory. */
  trajectoryExtra: shapes(
    jsonObject().default({}).describe("Copied into `extra` of the trajectory."),
  ),
  /** Skills that the harness is given: folders with a SKILL.md. */
  skills: shapes(
    z
      .array(skillSchema)
      .refine((skills) => new Set(skills.map(({ name }) => name)).size === skills.length, {
        error: "two skills have the same name",
      })
      .default([])
      .describe("Skills that the harness is given: folders with a SKILL.md."),
  ),
  /** Further environment of Fabric, by name. Not for secrets: declare those. */
  env: shapes(
    stringMap()
      .default({})
      .describe("Further environment of Fabric, by name. Not for secrets: declare those."),
  ),
  /** Names of host variables that Fabric gets too. */
  inheritEnv: shapes(
    z
      .array(
        z.string().regex(environmentNamePattern, "must be the name of an environment variable"),
      )
      .default([])
      .describe("Names of host variables that Fabric gets too."),
  ),
  /** Trials at once; null takes the run's concurrency. */
  parallelism: parallelismOption,
};

export type FabricAgentOptions = OptionsOutput<typeof fabricAgentOptions>;

/** Rules over keys, which their schemas let pass. */
export function checkAgentOptions(runner: string, { env }: Pick<FabricAgentOptions, "env">): void {
  const wrong = Object.keys(env).find((name) => !environmentNamePattern.test(name));
  if (wrong === undefined) return;
  throw new AssayError("ASSAY_CONFIG_INVALID", `${runner}: env: "${wrong}" is no variable name`);
}
