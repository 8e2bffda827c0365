import type { Target } from "../../contracts/target.ts";
import type { InstructionInputs } from "../../contracts/task.ts";
import type { OptionsInput } from "../../support/options.ts";
import type { fabricOptions } from "./options.ts";
import { fabricRunner } from "./runner.ts";

export type FabricOptions = OptionsInput<typeof fabricOptions>;

/**
 * Evaluates an agent harness (Codex, Claude Code, Hermes, DeepAgents, your own adapter) through NeMo Fabric: one run per
 * trial, in a private workspace, by the `nemo_fabric` of the interpreter that the option `python` names.
 *
 * A run that did not succeed and the time limit give a `partial` trial; an endpoint that is busy or gone makes a new
 * attempt. Throws `ASSAY_TOOL_NOT_FOUND`, `ASSAY_TOOL_VERSION_TOO_OLD`, `ASSAY_TOOL_UNUSABLE` or `ASSAY_CONFIG_INVALID`
 * before the first trial.
 */
export function fabric(options: FabricOptions): Target<InstructionInputs> {
  return fabricRunner(options);
}
