import type { Target } from "../../contracts/target.ts";
import type { InstructionInputs } from "../../contracts/task.ts";
import type { OptionsInput } from "../../support/options.ts";
import type { fabricContainerOptions } from "./options.ts";
import { fabricContainerRunner } from "./runner.ts";

export type FabricContainerOptions = OptionsInput<typeof fabricContainerOptions>;

/**
 * Evaluates an agent harness through NeMo Fabric in containers: one container per trial, made of one image, with limits
 * of its own. Fabric and the harness run inside.
 *
 * A run that did not succeed, want of memory and the time limit give a `partial` trial; a lost container or an endpoint
 * that is busy or gone makes a new attempt. Needs a Docker engine; throws `ASSAY_TOOL_NOT_FOUND`, `ASSAY_TOOL_UNUSABLE`,
 * `ASSAY_IMAGE_NOT_FOUND` or `ASSAY_IMAGE_BUILD_FAILED` before the first trial.
 */
export function fabricContainer(options: FabricContainerOptions): Target<InstructionInputs> {
  return fabricContainerRunner(options);
}
