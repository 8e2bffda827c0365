import type { Target } from "../../contracts/target.ts";
import type { InstructionInputs } from "../../contracts/task.ts";
import type { OptionsInput } from "../../support/options.ts";
import type { codexOptions } from "./options.ts";
import { codexRunner } from "./runner.ts";

export type CodexCliOptions = OptionsInput<typeof codexOptions>;

/**
 * Evaluates the Codex CLI installed here: `codex exec`, one process per trial, in a private workspace.
 *
 * A non-zero exit and the time limit give a `partial` trial; an endpoint that is busy or gone makes a new attempt.
 * Needs `@openai/codex`; throws `ASSAY_TOOL_NOT_FOUND` or `ASSAY_TOOL_VERSION_TOO_OLD` before the first trial.
 */
export function codexCli(options: CodexCliOptions = {}): Target<InstructionInputs> {
  return codexRunner(options);
}
