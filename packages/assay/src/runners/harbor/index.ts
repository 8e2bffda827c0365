import type { Target } from "../../contracts/target.ts";
import type { InstructionInputs } from "../../contracts/task.ts";
import type { OptionsInput } from "../../support/options.ts";
import type { harborOptions } from "./options.ts";
import { harborRunner } from "./runner.ts";

export type { RunHarborJob } from "./options.ts";
export type HarborRunnerOptions = OptionsInput<typeof harborOptions>;

/**
 * Evaluates agents on Harbor tasks: each trial in a container of its own, judged by the task's own test.
 *
 * A trial is `completed` when nothing was thrown and there is a reward under `rewardKey`, and `partial` in all other cases.
 * Needs Harbor 0.16.0 or later and Docker with Compose v2; throws `ASSAY_TOOL_NOT_FOUND`, `ASSAY_TOOL_UNUSABLE`,
 * `ASSAY_TOOL_VERSION_TOO_OLD` or `ASSAY_SECRET_MISSING` before the first trial. With `jobDir` nothing is run: the trials
 * are those of a job that is there, or that `runJob` makes.
 */
export function harbor(options: HarborRunnerOptions = {}): Target<InstructionInputs> {
  return harborRunner(options);
}
