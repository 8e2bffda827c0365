import type { AgentTaskRunner } from "../../contracts/runner.ts";
import type { OptionsInput } from "../../support/options.ts";
import type { gymOptions } from "./options.ts";
import { gymRunner } from "./runner.ts";

export type GymRunnerOptions = OptionsInput<typeof gymOptions>;

/**
 * Evaluates an agent in an environment of NeMo Gym: starts its servers, collects as many rollouts of each row as the run
 * has trials per task, and ends them. Tasks are rows of a Gym dataset: `tasks: { jsonl: "<path>", format: "gym" }`.
 *
 * A rollout without a reward is `partial`; one that Gym says failed, or that no agent ran, is `failed`. Needs `nemo-gym`
 * 0.4.0 or later; throws `ASSAY_TOOL_NOT_FOUND`, `ASSAY_TOOL_VERSION_TOO_OLD`, `ASSAY_CONFIG_INVALID`, and
 * `ASSAY_OUTPUT_EXISTS` for a used `workDir`, before the first trial.
 */
export function gym(options: GymRunnerOptions): AgentTaskRunner {
  return gymRunner(options);
}
