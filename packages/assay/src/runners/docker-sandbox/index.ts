import type { Target } from "../../contracts/target.ts";
import type { InstructionInputs } from "../../contracts/task.ts";
import type { OptionsInput } from "../../support/options.ts";
import type { dockerSandboxOptions } from "./options.ts";
import { dockerSandboxRunner } from "./runner.ts";

export type DockerSandboxOptions = OptionsInput<typeof dockerSandboxOptions>;

/**
 * Evaluates an agent whose loop runs here, by the npm package `@openai/agents`, and whose shell and file tools run in a
 * container, one per trial. Any endpoint that speaks as OpenAI's does will do.
 *
 * A refusal, too many turns, a request that the endpoint turns down and the time limit give a `partial` trial; a lost
 * container, or an endpoint that is busy or gone, makes a new attempt. Needs a Docker engine and the package, installed
 * beside the suite; throws `ASSAY_TOOL_NOT_FOUND`, `ASSAY_TOOL_UNUSABLE`, `ASSAY_SECRET_MISSING` or
 * `ASSAY_IMAGE_NOT_FOUND` before the first trial.
 */
export function dockerSandbox(options: DockerSandboxOptions = {}): Target<InstructionInputs> {
  return dockerSandboxRunner(options);
}
