import type { Target } from "../../contracts/target.ts";
import type { InstructionInputs } from "../../contracts/task.ts";
import type { OptionsInput } from "../../support/options.ts";
import type { codexDockerOptions } from "./options.ts";
import { codexDockerRunner } from "./runner.ts";

export type CodexDockerCliOptions = OptionsInput<typeof codexDockerOptions>;

/**
 * Evaluates the Codex CLI in containers: one container per trial, made of one image, with limits of its own.
 *
 * A non-zero exit, want of memory and the time limit give a `partial` trial; a lost container or an endpoint that is busy
 * or gone makes a new attempt. Needs a Docker engine; throws `ASSAY_TOOL_NOT_FOUND`, `ASSAY_TOOL_UNUSABLE` or
 * `ASSAY_IMAGE_NOT_FOUND` before the first trial.
 */
export function codexDockerCli(options: CodexDockerCliOptions = {}): Target<InstructionInputs> {
  return codexDockerRunner(options);
}
